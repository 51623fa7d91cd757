// Between a field and its JSON value, with the checks of its rule.
#include <algorithm>
#include <bit>

#include "profile/fields.hpp"
#include "support/json.hpp"

namespace accy::profile {
namespace {

using nlohmann::json;

constexpr std::size_t list_count_maximum = 256;
constexpr TextRule quirk_text{.minimum_bytes = 1, .maximum_bytes = 1024};

/// One value on its way into a profile: its key for messages and where these go.
class Reader {
 public:
  Reader(std::string key, const json& value, std::vector<std::string>& problems)
      : key_(std::move(key)), value_(value), problems_(problems) {}

  const json& value() const { return value_; }
  void reject(const std::string& limit) const {
    problems_.push_back(key_ + " (" + abbreviate_json(value_) + ") " + limit);
  }
  Reader element(std::size_t index) const {
    return {key_ + "[" + std::to_string(index) + "]", value_[index], problems_};
  }
  Reader entry(const char* name) const { return {key_ + "." + name, value_[name], problems_}; }

 private:
  std::string key_;
  const json& value_;
  std::vector<std::string>& problems_;
};

void read_integer(const Reader& reader, const IntegerRule& rule, std::int64_t& target) {
  const json& value = reader.value();
  if (!value.is_number_integer()) return reader.reject("is not an integer");
  // Above the signed range the value would wrap to a negative one.
  const bool representable =
      !value.is_number_unsigned() ||
      value.get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  const std::int64_t number = representable ? value.get<std::int64_t>() : 0;
  if (!representable || number < rule.minimum || number > rule.maximum)
    return reader.reject("is outside " + std::to_string(rule.minimum) + " to " +
                         std::to_string(rule.maximum));
  if (rule.power_of_two && !std::has_single_bit(static_cast<std::uint64_t>(number)))
    return reader.reject("is not a power of two");
  target = number;
}

bool is_identifier_character(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         (character >= '0' && character <= '9') || character == '_' || character == '-' ||
         character == '.';
}

bool is_control_character(char character) {
  return static_cast<unsigned char>(character) < 0x20 || character == 0x7f;
}

std::string join(std::span<const std::string_view> words) {
  std::string text;
  for (std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

void read_text(const Reader& reader, const TextRule& rule, std::string& target) {
  if (!reader.value().is_string()) return reader.reject("is not a string");
  const auto& text = reader.value().get_ref<const std::string&>();
  if (!rule.choices.empty() && std::ranges::find(rule.choices, text) == rule.choices.end())
    return reader.reject("is none of " + join(rule.choices));
  if (text.size() < rule.minimum_bytes || text.size() > rule.maximum_bytes)
    return reader.reject("has " + std::to_string(text.size()) + " bytes, outside " +
                         std::to_string(rule.minimum_bytes) + " to " +
                         std::to_string(rule.maximum_bytes));
  if (rule.identifier && !std::ranges::all_of(text, is_identifier_character))
    return reader.reject("holds a character other than letters, digits, '_', '-' and '.'");
  if (std::ranges::any_of(text, is_control_character))
    return reader.reject("holds a control character");
  target = text;
}

/// Checks that the value is an array whose length is within the limits.
bool check_array(const Reader& reader, std::size_t minimum, std::size_t maximum) {
  if (!reader.value().is_array()) {
    reader.reject("is not an array");
    return false;
  }
  const std::size_t count = reader.value().size();
  if (count >= minimum && count <= maximum) return true;
  reader.reject("has " + std::to_string(count) + " elements, outside " + std::to_string(minimum) +
                " to " + std::to_string(maximum));
  return false;
}

void read_axes(const Reader& reader, const IntegerRule& rule, std::array<std::int64_t, 3>& axes) {
  if (!check_array(reader, axes.size(), axes.size())) return;
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    read_integer(reader.element(axis), rule, axes[axis]);
}

void read_list(const Reader& reader, const ListField& field, std::vector<std::string>& list) {
  if (!check_array(reader, field.minimum_count, list_count_maximum)) return;
  list.assign(reader.value().size(), {});
  for (std::size_t index = 0; index < list.size(); ++index) {
    read_text(reader.element(index), field.rule, list[index]);
    const auto end = list.begin() + static_cast<std::ptrdiff_t>(index);
    if (!list[index].empty() && std::find(list.begin(), end, list[index]) != end)
      reader.element(index).reject("is listed twice");
  }
}

void read_quirks(const Reader& reader, std::vector<Quirk>& quirks) {
  if (!check_array(reader, 0, list_count_maximum)) return;
  quirks.assign(reader.value().size(), {});
  for (std::size_t index = 0; index < quirks.size(); ++index) {
    const Reader element = reader.element(index);
    const json& value = element.value();
    if (!value.is_object() || value.size() != 2 || !value.contains("name") ||
        !value.contains("reference")) {
      element.reject("is not an object of \"name\" and \"reference\"");
      continue;
    }
    read_text(element.entry("name"), quirk_text, quirks[index].name);
    read_text(element.entry("reference"), quirk_text, quirks[index].reference);
  }
}

json to_value(const std::vector<Quirk>& quirks) {
  json list = json::array();
  for (const Quirk& quirk : quirks)
    list.push_back({{"name", quirk.name}, {"reference", quirk.reference}});
  return list;
}

/// Calls the reading function of a field's kind.
struct FieldReader {
  TargetProfile& profile;
  const Reader& reader;

  void operator()(const TextField& field) const {
    read_text(reader, field.rule, profile.*field.member);
  }
  void operator()(const IntegerField& field) const {
    read_integer(reader, field.rule, profile.*field.member);
  }
  void operator()(const AxesField& field) const {
    read_axes(reader, field.rule, profile.*field.member);
  }
  void operator()(const FlagField& field) const {
    if (!reader.value().is_boolean()) return reader.reject("is neither true nor false");
    profile.*field.member = reader.value().get<bool>();
  }
  void operator()(const ListField& field) const {
    read_list(reader, field, profile.*field.member);
  }
  void operator()(const QuirksField& field) const { read_quirks(reader, profile.*field.member); }
};

}  // namespace

json field_value(const TargetProfile& profile, const Field& field) {
  return std::visit(
      [&]<class Kind>(const Kind& kind) -> json {
        if constexpr (std::is_same_v<Kind, QuirksField>)
          return to_value(profile.*kind.member);
        else
          return profile.*kind.member;
      },
      field.kind);
}

void read_field(TargetProfile& profile, const Field& field, const json& value,
                std::vector<std::string>& problems) {
  const Reader reader(std::string(field.name), value, problems);
  std::visit(FieldReader{profile, reader}, field.kind);
}

}  // namespace accy::profile
