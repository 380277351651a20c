// SPDX-License-Identifier: Apache-2.0
#include "ratectl/parameters.hpp"

#include <utility>

namespace ratectl {

Parameter& Parameters::add(const std::string& names, std::string description) {
    Parameter parameter;
    const auto comma = names.find(',');
    parameter.name = comma == std::string::npos ? names : names.substr(comma + 1);
    if (comma != std::string::npos) parameter.short_name = names.substr(0, comma);
    parameter.description = std::move(description);
    all_.push_back(std::move(parameter));
    return all_.back();
}

void Parameters::argument(const std::string& name, std::string& target, std::string description) {
    auto& parameter = add(name, std::move(description));
    parameter.text = &target;
    parameter.required = true;
}

void Parameters::optional_argument(const std::string& name, std::string& target,
                                   std::string description) {
    add(name, std::move(description)).text = &target;
}

void Parameters::arguments(const std::string& name, std::vector<std::string>& target,
                           std::string description) {
    auto& parameter = add(name, std::move(description));
    parameter.texts = &target;
    parameter.required = true;
}

void Parameters::optional_arguments(const std::string& name, std::vector<std::string>& target,
                                    std::string description) {
    add(name, std::move(description)).texts = &target;
}

void Parameters::flag(const std::string& names, bool& target, std::string description) {
    add(names, std::move(description)).flag = &target;
}

void Parameters::option(const std::string& names, std::string value, std::string& target,
                        std::string description) {
    auto& parameter = add(names, std::move(description));
    parameter.value = std::move(value);
    parameter.text = &target;
}

void Parameters::options(const std::string& names, std::string value,
                         std::vector<std::string>& target, std::string description) {
    auto& parameter = add(names, std::move(description));
    parameter.value = std::move(value);
    parameter.texts = &target;
}

}  // namespace ratectl
