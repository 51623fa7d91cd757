// JSON documents on the program's standard output.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>

#include "profile/profile.hpp"

namespace accy::tools {

/// An object whose "schema" is "accy.NAME/1".
nlohmann::json json_document(std::string_view name);

/// The profile as a JSON object, as `accy compile --target FILE.json` reads it.
nlohmann::json json_of(const TargetProfile& profile);

/// Canonical text and a newline.
void print_json(std::ostream& output, const nlohmann::json& document);

}  // namespace accy::tools
