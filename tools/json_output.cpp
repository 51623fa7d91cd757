#include "tools/json_output.hpp"

#include <string>

#include "support/json.hpp"

namespace accy::tools {

nlohmann::json json_document(std::string_view name) {
  return {{"schema", "accy." + std::string(name) + "/1"}};
}

nlohmann::json json_of(const TargetProfile& profile) {
  return nlohmann::json::parse(to_json(profile));
}

void print_json(std::ostream& output, const nlohmann::json& document) {
  output << format_json(document) << '\n';
}

}  // namespace accy::tools
