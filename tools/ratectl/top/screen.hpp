// SPDX-License-Identifier: Apache-2.0
//
// The terminal: paints frames, reads keys, and leaves it as it was found.
//
// PROMISE  Between open() and the destructor the terminal shows its other screen; after the
//          destructor, and while suspended, it is as it was before. Only what changed is sent.
// ERRORS   No object where the terminal cannot do what is needed; nothing was changed then.
// SHARING  One object and one thread: the library below it has one terminal.
#pragma once

#include <memory>
#include <optional>

#include "ratectl/top/frame.hpp"
#include "ratectl/top/view.hpp"

namespace ratectl {

class Screen {
  public:
    /// Of standard input and output. No value: this terminal cannot place text (TERM=dumb).
    static std::unique_ptr<Screen> open(bool colour);
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;
    ~Screen();

    ScreenSize size() const;
    /// Asks the terminal how large it is now.
    void resize();
    void paint(const Frame& frame);
    /// Paints everything anew next time, whatever stands there.
    void repaint();
    /// What was pressed, if anything; never waits.
    std::optional<Key> read_key();
    /// The terminal as it was, until resume().
    void suspend();
    void resume();

  private:
    struct Terminal;
    explicit Screen(std::unique_ptr<Terminal> terminal);

    std::unique_ptr<Terminal> terminal_;
};

/// Whether the locale in force (set it first) writes UTF-8.
bool locale_is_unicode();

}  // namespace ratectl
