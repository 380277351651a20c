// SPDX-License-Identifier: Apache-2.0
#include "ratectl/top/screen.hpp"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <cwchar>

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

namespace ratectl {

namespace {

constexpr int escape_waits_ms = 50;  // for the rest of a key that begins like escape
constexpr wchar_t escape_key = 27;
constexpr wchar_t redraw_key = 'l' & 0x1f;

constexpr short pair_good = 1;
constexpr short pair_warning = 2;
constexpr short pair_alarm = 3;

attr_t pair(short number) {
    return static_cast<attr_t>(COLOR_PAIR(number));
}

attr_t attributes_of(Style style, bool colour) {
    switch (style) {
        case Style::plain:
            return A_NORMAL;
        case Style::title:
            return A_BOLD;
        case Style::faint:
            return A_DIM;
        case Style::good:
            return colour ? pair(pair_good) : A_NORMAL;
        case Style::warning:
            return colour ? pair(pair_warning) : A_BOLD;
        case Style::alarm:
            return colour ? pair(pair_alarm) | A_BOLD : A_BOLD;
    }
    return A_NORMAL;
}

std::optional<Key> named_key(wint_t code) {
    switch (code) {
        case KEY_UP:
            return Key{Key::Kind::up, ""};
        case KEY_DOWN:
            return Key{Key::Kind::down, ""};
        case KEY_LEFT:
            return Key{Key::Kind::left, ""};
        case KEY_RIGHT:
            return Key{Key::Kind::right, ""};
        case KEY_PPAGE:
            return Key{Key::Kind::page_up, ""};
        case KEY_NPAGE:
            return Key{Key::Kind::page_down, ""};
        case KEY_HOME:
            return Key{Key::Kind::home, ""};
        case KEY_END:
            return Key{Key::Kind::end, ""};
        case KEY_ENTER:
            return Key{Key::Kind::enter, ""};
        case KEY_BACKSPACE:
        case KEY_DC:
            return Key{Key::Kind::erase, ""};
        default:
            return std::nullopt;
    }
}

std::optional<Key> typed_key(wint_t code) {
    if (code == '\r' || code == '\n') return Key{Key::Kind::enter, ""};
    if (code == escape_key) return Key{Key::Kind::escape, ""};
    if (code == 0x7f || code == 0x08) return Key{Key::Kind::erase, ""};
    if (code < 0x20) return std::nullopt;
    char bytes[16];
    std::mbstate_t state{};
    const auto count = std::wcrtomb(bytes, static_cast<wchar_t>(code), &state);
    if (count == static_cast<std::size_t>(-1) || count > sizeof bytes) return std::nullopt;
    return Key{Key::Kind::text, std::string(bytes, count)};
}

}  // namespace

struct Screen::Terminal {
    SCREEN* screen = nullptr;
    bool colour = false;
    bool anew = false;
};

Screen::Screen(std::unique_ptr<Terminal> terminal) : terminal_(std::move(terminal)) {}

std::unique_ptr<Screen> Screen::open(bool colour) {
    const char* kind = std::getenv("TERM");
    if (kind == nullptr || *kind == '\0' || std::strcmp(kind, "dumb") == 0) return nullptr;
    use_env(FALSE);  // LINES and COLUMNS do not follow a resize; the terminal does
    auto terminal = std::make_unique<Terminal>();
    terminal->screen = newterm(nullptr, stdout, stdin);
    if (terminal->screen == nullptr) return nullptr;
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(escape_waits_ms);
    curs_set(0);
    terminal->colour = colour && has_colors();
    if (terminal->colour) {
        start_color();
        use_default_colors();
        init_pair(pair_good, COLOR_GREEN, -1);
        init_pair(pair_warning, COLOR_YELLOW, -1);
        init_pair(pair_alarm, COLOR_RED, -1);
    }
    std::unique_ptr<Screen> screen(new Screen(std::move(terminal)));
    screen->resize();
    return screen;
}

Screen::~Screen() {
    endwin();
    delscreen(terminal_->screen);
}

ScreenSize Screen::size() const {
    return {static_cast<std::size_t>(std::max(getmaxy(stdscr), 0)),
            static_cast<std::size_t>(std::max(getmaxx(stdscr), 0))};
}

void Screen::resize() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return;
    if (size.ws_row == 0 || size.ws_col == 0) return;  // a terminal that does not know
    resizeterm(size.ws_row, size.ws_col);
    terminal_->anew = true;
}

void Screen::paint(const Frame& frame) {
    if (terminal_->anew) clearok(stdscr, TRUE);
    terminal_->anew = false;
    werase(stdscr);
    int row = 0;
    for (const auto& line : frame.lines) {
        if (wmove(stdscr, row++, 0) == ERR) break;
        const attr_t selected = line.selected ? A_REVERSE : A_NORMAL;
        for (const auto& span : line.spans) {
            wattrset(stdscr,
                     static_cast<int>(attributes_of(span.style, terminal_->colour) | selected));
            // ERR after the last cell of the screen, which is written all the same.
            static_cast<void>(
                waddnstr(stdscr, span.text.data(), static_cast<int>(span.text.size())));
        }
    }
    wattrset(stdscr, A_NORMAL);
    wrefresh(stdscr);
}

void Screen::repaint() {
    terminal_->anew = true;
}

std::optional<Key> Screen::read_key() {
    while (true) {
        wint_t code = 0;
        const int kind = wget_wch(stdscr, &code);
        if (kind == ERR) return std::nullopt;
        if (kind == OK && code == redraw_key) {
            repaint();
            continue;
        }
        const auto key = kind == KEY_CODE_YES ? named_key(code) : typed_key(code);
        if (key) return key;
    }
}

void Screen::suspend() {
    endwin();
}

void Screen::resume() {
    resize();
    repaint();
}

bool locale_is_unicode() {
    return std::strcmp(::nl_langinfo(CODESET), "UTF-8") == 0;
}

}  // namespace ratectl
