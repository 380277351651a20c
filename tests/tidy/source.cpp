// SPDX-License-Identifier: Apache-2.0
#include "tidy/source.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

namespace tidy {
namespace {

bool is_identifier_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Walks C++ text once and blanks comments in both views, and literals in `code`.
class Blanker {
  public:
    explicit Blanker(std::string_view text) : text_(text), uncommented_(text), code_(text) {}

    void run() {
        while (at_ < text_.size()) {
            if (starts("//")) {
                blank_comment(text_.find('\n', at_), 0);
            } else if (starts("/*")) {
                blank_comment(text_.find("*/", at_ + 2), 2);
            } else if (starts("R\"") && !(at_ > 0 && is_identifier_char(text_[at_ - 1]))) {
                blank_raw_string();
            } else if (text_[at_] == '"' || (text_[at_] == '\'' && !is_digit_separator())) {
                blank_literal(text_[at_]);
            } else {
                ++at_;
            }
        }
    }

    std::string take_uncommented() { return std::move(uncommented_); }
    std::string take_code() { return std::move(code_); }

  private:
    bool starts(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

    bool is_digit_separator() const { return at_ > 0 && is_identifier_char(text_[at_ - 1]); }

    static void blank(std::string& view, std::size_t from, std::size_t to) {
        std::replace_if(
            view.begin() + static_cast<std::ptrdiff_t>(from),
            view.begin() + static_cast<std::ptrdiff_t>(to), [](char c) { return c != '\n'; }, ' ');
    }

    void blank_comment(std::size_t end, std::size_t closing) {
        const auto stop = std::min(text_.size(), end == std::string::npos ? end : end + closing);
        blank(uncommented_, at_, stop);
        blank(code_, at_, stop);
        at_ = stop;
    }

    void blank_raw_string() {
        const auto open = text_.find('(', at_);
        if (open == std::string::npos) {
            at_ = text_.size();
            return;
        }
        const auto closing = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
        const auto end = text_.find(closing, open);
        const auto stop = end == std::string::npos ? text_.size() : end + closing.size();
        blank(code_, at_ + 2, stop);
        at_ = stop;
    }

    void blank_literal(char quote) {
        auto stop = at_ + 1;
        while (stop < text_.size() && text_[stop] != quote && text_[stop] != '\n') {
            stop += text_[stop] == '\\' ? 2 : 1;
        }
        stop = std::min(stop, text_.size());
        blank(code_, at_ + 1, stop);
        at_ = std::min(stop + 1, text_.size());
    }

    std::string_view text_;
    std::string uncommented_;
    std::string code_;
    std::size_t at_ = 0;
};

bool is_skipped_directory(const std::filesystem::path& directory) {
    const auto name = directory.filename().string();
    return (name.starts_with('.') && name != ".ci") || name.starts_with("build");
}

}  // namespace

bool SourceFile::is_cpp() const {
    return path.ends_with(".cpp") || path.ends_with(".hpp") || path.ends_with(".h") ||
           path.ends_with(".c");
}

bool SourceFile::is_under(std::string_view directory) const {
    return path.size() > directory.size() && path.starts_with(directory) &&
           path[directory.size()] == '/';
}

SourceFile make_source(std::string path, std::string text) {
    SourceFile file{std::move(path), std::move(text), {}, {}};
    if (file.is_cpp()) {
        Blanker blanker(file.text);
        blanker.run();
        file.uncommented = blanker.take_uncommented();
        file.code = blanker.take_code();
    }
    return file;
}

Tree read_tree(const std::filesystem::path& root) {
    Tree tree;
    auto entry = std::filesystem::recursive_directory_iterator(root);
    for (; entry != std::filesystem::recursive_directory_iterator(); ++entry) {
        if (entry->is_directory() && is_skipped_directory(entry->path())) {
            entry.disable_recursion_pending();
        } else if (entry->is_regular_file()) {
            std::ifstream input(entry->path(), std::ios::binary);
            std::string text{std::istreambuf_iterator<char>(input), {}};
            if (text.find('\0') == std::string::npos) {
                tree.push_back(make_source(entry->path().lexically_relative(root).generic_string(),
                                           std::move(text)));
            }
        }
    }
    std::sort(tree.begin(), tree.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    return tree;
}

const SourceFile* find_file(const Tree& tree, std::string_view path) {
    const auto found = std::find_if(tree.begin(), tree.end(),
                                    [path](const auto& file) { return file.path == path; });
    return found == tree.end() ? nullptr : &*found;
}

std::vector<std::string> split_lines(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

std::string complaint(const SourceFile& file, std::size_t line, std::string_view message) {
    auto text = file.path;
    if (line > 0) text += ":" + std::to_string(line);
    return text + ": " + std::string(message);
}

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
    for (auto at = text.find(word, from); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
        const auto end = at + word.size();
        const bool left =
            at == 0 || !is_identifier_char(word.front()) || !is_identifier_char(text[at - 1]);
        const bool right = end == text.size() || !is_identifier_char(word.back()) ||
                           !is_identifier_char(text[end]);
        if (left && right) return at;
    }
    return std::string_view::npos;
}

std::size_t line_of(std::string_view text, std::size_t position) {
    return 1 + static_cast<std::size_t>(std::count(
                   text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

}  // namespace tidy
