#include "profile/profile.hpp"

#include <algorithm>

#include "profile/fields.hpp"
#include "support/json.hpp"

namespace accy {
namespace {

using nlohmann::json;
using profile::Field;

constexpr std::size_t listed_problems_maximum = 32;

void check_schema(const json& document, std::vector<std::string>& problems) {
  const auto schema = document.find("schema");
  if (schema == document.end())
    problems.push_back("schema is missing (\"" + std::string(profile_schema) + "\")");
  else if (*schema != profile_schema)
    problems.push_back("schema (" + abbreviate_json(*schema) + ") is not \"" +
                       std::string(profile_schema) + "\"");
}

void check_unknown_keys(const json& document, std::vector<std::string>& problems) {
  for (const auto& entry : document.items())
    if (entry.key() != "schema" && profile::find_field(entry.key()) == nullptr)
      problems.push_back("key " + quote_for_message(entry.key()) + " (" +
                         abbreviate_json(entry.value()) + ") is unknown");
}

void check_consistency(const TargetProfile& profile, std::vector<std::string>& problems) {
  if (profile.subgroup_size_minimum > profile.subgroup_size_maximum)
    problems.push_back("subgroup_size_minimum (" + std::to_string(profile.subgroup_size_minimum) +
                       ") exceeds subgroup_size_maximum (" +
                       std::to_string(profile.subgroup_size_maximum) + ")");
}

Failure problems_failure(const std::vector<std::string>& problems, std::string_view file) {
  std::string message = std::string(file) + ": profile has " + std::to_string(problems.size()) +
                        (problems.size() == 1 ? " problem" : " problems");
  const std::size_t listed = std::min(problems.size(), listed_problems_maximum);
  for (std::size_t index = 0; index < listed; ++index) message += "\n  " + problems[index];
  if (listed < problems.size())
    message += "\n  and " + std::to_string(problems.size() - listed) + " more";
  return fail(ErrorCode::invalid_input, std::move(message));
}

}  // namespace

std::string to_json(const TargetProfile& profile) {
  json document = {{"schema", profile_schema}};
  for (const Field& field : profile::fields())
    document[std::string(field.name)] = profile::field_value(profile, field);
  return format_json(document);
}

Result<TargetProfile> profile_from_json(std::string_view text, std::string_view file) {
  ACCY_TRY_ASSIGN(const json document, parse_json(text, file));
  if (!document.is_object())
    return fail(ErrorCode::invalid_input, std::string(file) + ": profile (" +
                                              abbreviate_json(document) + ") is not an object");
  TargetProfile profile;
  std::vector<std::string> problems;
  check_schema(document, problems);
  for (const Field& field : profile::fields()) {
    const auto value = document.find(field.name);
    if (value == document.end())
      problems.push_back(std::string(field.name) + " is missing");
    else
      profile::read_field(profile, field, *value, problems);
  }
  check_unknown_keys(document, problems);
  if (problems.empty()) check_consistency(profile, problems);
  if (!problems.empty()) return problems_failure(problems, file);
  return profile;
}

std::string profile_field_json(const TargetProfile& profile, std::string_view field) {
  const Field* found = profile::find_field(field);
  ACCY_ASSERT(found != nullptr, "profile has no field \"" + std::string(field) + "\"");
  return format_json(profile::field_value(profile, *found));
}

std::vector<ProfileRead> TracedProfile::reads() const {
  std::vector<ProfileRead> reads;
  for (std::string_view field : fields_)
    reads.push_back({std::string(field), profile_field_json(profile_, field)});
  return reads;
}

void TracedProfile::record(const void* member) const {
  const Field* field = profile::find_field(profile_, member);
  ACCY_ASSERT(field != nullptr, "profile member is missing in the field table");
  const auto place = std::ranges::lower_bound(fields_, field->name);
  if (place == fields_.end() || *place != field->name) fields_.insert(place, field->name);
}

}  // namespace accy
