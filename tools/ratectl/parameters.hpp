// SPDX-License-Identifier: Apache-2.0
//
// What a command takes, declared once: for parsing, for help and for completion.
//
// PROMISE  Every value is read as text. The grammar's messages name value and reason; the parser's
//          would not.
// SHARING  The targets must outlive the declaration.
#pragma once

#include <string>
#include <vector>

namespace ratectl {

/// One argument or option.
struct Parameter {
    std::string name;        ///< "NAME" or "--limit"
    std::string short_name;  ///< "-n", or empty
    std::string value;       ///< "DURATION"; empty for a flag and for an argument
    std::string description;
    bool required = false;

    // Where it goes: exactly one.
    bool* flag = nullptr;
    std::string* text = nullptr;
    std::vector<std::string>* texts = nullptr;

    bool is_argument() const { return !name.starts_with('-'); }
    bool is_repeated() const { return texts != nullptr; }
};

class Parameters {
  public:
    void argument(const std::string& name, std::string& target, std::string description);
    void optional_argument(const std::string& name, std::string& target, std::string description);
    /// One or more.
    void arguments(const std::string& name, std::vector<std::string>& target,
                   std::string description);
    /// None or more.
    void optional_arguments(const std::string& name, std::vector<std::string>& target,
                            std::string description);
    /// `names`: "--all", or "-n,--last".
    void flag(const std::string& names, bool& target, std::string description);
    void option(const std::string& names, std::string value, std::string& target,
                std::string description);
    /// May be given several times.
    void options(const std::string& names, std::string value, std::vector<std::string>& target,
                 std::string description);
    /// A sentence below the list.
    void remark(std::string text) { remark_ = std::move(text); }

    const std::vector<Parameter>& all() const { return all_; }
    const std::string& remark() const { return remark_; }

  private:
    Parameter& add(const std::string& names, std::string description);

    std::vector<Parameter> all_;
    std::string remark_;
};

}  // namespace ratectl
