// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/orders.hpp>

#include <algorithm>

namespace ratecoord {

OrderPolicy order_policy_of(const Profile& profile) {
    const OrderRules& rules = profile.orders();
    OrderPolicy policy;
    if (rules.settle.count() > 0) policy.settle = rules.settle;
    if (rules.visible_within.count() > 0) policy.visible_within = rules.visible_within;
    policy.resend_within = rules.resend_within;
    if (rules.resend_within.count() > 0) policy.resend = Resend::while_deduplicated;
    if (rules.id_longest > 0) policy.ids.most = rules.id_longest;
    if (rules.id_characters.empty()) return policy;
    std::string characters = rules.id_characters;
    const auto dashes = std::remove(characters.begin(), characters.end(), '-');
    const bool has_dash = dashes != characters.end();
    characters.erase(dashes, characters.end());
    if (has_dash) characters.push_back('-');  // at the end it stands for itself
    policy.ids.charset = characters;
    return policy;
}

}  // namespace ratecoord
