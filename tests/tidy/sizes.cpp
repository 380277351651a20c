// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>

#include "tidy/rules.hpp"

namespace tidy {
namespace {

bool has_code(std::string_view line) {
    return std::any_of(line.begin(), line.end(),
                       [](char c) { return std::isspace(static_cast<unsigned char>(c)) == 0; });
}

std::size_t count_code_lines(std::string_view text) {
    const auto lines = split_lines(text);
    return static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), has_code));
}

// Blanks preprocessor lines: their braces belong to macros, not to the text around them.
std::string without_directives(std::string_view code) {
    std::string text;
    bool in_directive = false;
    for (const auto& line : split_lines(code)) {
        const auto first = line.find_first_not_of(" \t");
        in_directive = in_directive || (first != std::string::npos && line[first] == '#');
        if (!in_directive) text += line;
        text += '\n';
        in_directive = in_directive && line.ends_with('\\');
    }
    return text;
}

// Finds the outermost blocks that have a parameter list before them, outside of which only
// namespaces and types are open: functions and test cases. What precedes a '{' since the last ';',
// '{' or '}' tells which it is.
class FunctionFinder {
  public:
    explicit FunctionFinder(std::string_view code) : code_(code) {}

    struct Function {
        std::size_t line;
        std::size_t lines;
    };

    std::vector<Function> run() {
        for (std::size_t at = 0; at < code_.size(); ++at) {
            switch (code_[at]) {
                case '(':
                    ++parentheses_;
                    break;
                case ')':
                    --parentheses_;
                    break;
                case '{':
                    open(at);
                    break;
                case '}':
                    close(at);
                    break;
                case ';':
                    if (parentheses_ == 0) head_ = at + 1;
                    break;
                default:
                    break;
            }
        }
        return std::move(functions_);
    }

  private:
    enum class Block { scope, function, other };

    struct Open {
        Block block;
        std::size_t head;  // where the declaration before the brace begins
        int parentheses;
    };

    void open(std::size_t at) {
        const auto head = code_.substr(head_, at - head_);
        const bool only_scopes = std::all_of(open_.begin(), open_.end(),
                                             [](const Open& o) { return o.block == Block::scope; });
        auto block = Block::other;
        if (only_scopes && parentheses_ == 0) block = classify(head);
        open_.push_back({block, head_, parentheses_});
        parentheses_ = 0;
        head_ = at + 1;
    }

    static Block classify(std::string_view head) {
        static constexpr std::array scopes{"namespace", "class", "struct",
                                           "union",     "enum",  "extern"};
        if (ends_like_a_function(head)) return Block::function;
        const bool is_scope = std::any_of(scopes.begin(), scopes.end(), [&](const char* word) {
            return find_word(head, word) != std::string_view::npos;
        });
        return is_scope ? Block::scope : Block::other;
    }

    // `f()`, `f() const`, `f() -> T`, `T(int a) : a_{a}`; but not the `T(int a) : a_` before it.
    static bool ends_like_a_function(std::string_view head) {
        static constexpr std::array qualifiers{"const", "noexcept", "override",
                                               "final", "mutable",  "try"};
        const auto parenthesis = head.rfind(')');
        if (parenthesis == std::string_view::npos) return false;
        const auto tail = head.substr(parenthesis + 1);
        if (!has_code(tail) || tail.find("->") != std::string_view::npos) return true;
        if (tail[tail.find_last_not_of(" \t\n")] == '}') return true;
        return std::any_of(qualifiers.begin(), qualifiers.end(), [&](const char* word) {
            return find_word(tail, word) != std::string_view::npos;
        });
    }

    void close(std::size_t at) {
        if (open_.empty()) return;
        const auto closed = open_.back();
        open_.pop_back();
        parentheses_ = closed.parentheses;
        if (closed.block == Block::function) {
            const auto begin = after_labels(closed.head);
            functions_.push_back(
                {line_of(code_, begin), count_code_lines(code_.substr(begin, at + 1 - begin))});
        }
        // An initialiser in the middle of a declaration does not end it.
        head_ = closed.block == Block::other ? closed.head : at + 1;
        if (closed.block == Block::other && open_depth_is_body()) head_ = at + 1;
    }

    std::size_t after_labels(std::size_t head) const {
        static constexpr std::array labels{"public:", "protected:", "private:"};
        auto begin = code_.find_first_not_of(" \t\n", head);
        for (const std::string_view label : labels) {
            if (code_.substr(begin, label.size()) == label) {
                begin = code_.find_first_not_of(" \t\n", begin + label.size());
            }
        }
        return begin;
    }

    bool open_depth_is_body() const { return !open_.empty() && open_.back().block != Block::scope; }

    std::string_view code_;
    std::vector<Open> open_;
    std::vector<Function> functions_;
    std::size_t head_ = 0;
    int parentheses_ = 0;
};

}  // namespace

Complaints check_file_lengths(const Tree& tree) {
    Complaints complaints;
    for (const auto& file : tree) {
        if (!file.is_cpp()) continue;
        const auto lines = count_code_lines(file.uncommented);
        if (lines >= file_lines_limit) {
            complaints.push_back(complaint(file, 0,
                                           std::to_string(lines) + " code lines; fewer than " +
                                               std::to_string(file_lines_limit) + " are read"));
        }
    }
    return complaints;
}

Complaints check_function_lengths(const Tree& tree) {
    Complaints complaints;
    for (const auto& file : tree) {
        if (!file.is_cpp()) continue;
        const auto code = without_directives(file.code);
        for (const auto& function : FunctionFinder(code).run()) {
            if (function.lines >= function_lines_limit) {
                complaints.push_back(complaint(
                    file, function.line,
                    "a function of " + std::to_string(function.lines) + " code lines; fewer than " +
                        std::to_string(function_lines_limit) + " fit a screen"));
            }
        }
    }
    return complaints;
}

}  // namespace tidy
