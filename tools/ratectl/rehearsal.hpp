// SPDX-License-Identifier: Apache-2.0
//
// Creates a budget where nobody sees it, to learn whether and how it would come out.
//
// PROMISE  Leaves nothing behind. The budgets of this host are not touched.
// SHARING  Changes RATECOORD_DIR while it runs: one thread, no other.
#pragma once

#include <span>
#include <string>

#include <ratecoord/budget.hpp>

namespace ratectl {

/// The snapshot right after the creation. What is saved of an earlier budget of that name is not
/// looked at: windows that it would carry over are shown as unused.
ratecoord::Result<ratecoord::Snapshot> rehearse_creation(
    const std::string& name, std::span<const ratecoord::LimitDefinition> definitions,
    const ratecoord::OpenOptions& options);

}  // namespace ratectl
