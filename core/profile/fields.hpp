// The one list of a profile's fields: its JSON, its checks and its traced reads all work from it.
#pragma once

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "profile/profile.hpp"

namespace accy::profile {

/// Values an integer may have.
struct IntegerRule {
  std::int64_t minimum = 0;
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  bool power_of_two = false;
};

/// Texts a string may be: at most that many bytes, without control characters.
struct TextRule {
  std::size_t minimum_bytes = 0;
  std::size_t maximum_bytes = 256;
  bool identifier = false;                      ///< letters, digits, '_', '-' and '.' only
  std::span<const std::string_view> choices{};  ///< when not empty: one of these
};

struct TextField {
  std::string TargetProfile::*member;
  TextRule rule;
};
struct IntegerField {
  std::int64_t TargetProfile::*member;
  IntegerRule rule;
};
struct AxesField {
  std::array<std::int64_t, 3> TargetProfile::*member;
  IntegerRule rule;
};
struct FlagField {
  bool TargetProfile::*member;
};
/// A list of different texts.
struct ListField {
  std::vector<std::string> TargetProfile::*member;
  TextRule rule;
  std::size_t minimum_count = 0;
};
struct QuirksField {
  std::vector<Quirk> TargetProfile::*member;
};

/// A field: its JSON key, which is its member's name, and what it holds.
struct Field {
  std::string_view name;
  std::variant<TextField, IntegerField, AxesField, FlagField, ListField, QuirksField> kind;
};

/// All fields in the order of the struct.
std::span<const Field> fields();

/// The field at that address inside the profile; null when there is none.
const Field* find_field(const TargetProfile& profile, const void* member);
const Field* find_field(std::string_view name);

nlohmann::json field_value(const TargetProfile& profile, const Field& field);

/// Stores a JSON value in the field; every fault is added to `problems` with key, value and limit.
void read_field(TargetProfile& profile, const Field& field, const nlohmann::json& value,
                std::vector<std::string>& problems);

}  // namespace accy::profile
