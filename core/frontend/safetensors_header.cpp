#include "frontend/safetensors_header.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "support/checked.hpp"
#include "support/json.hpp"

namespace accy::frontend {
namespace {

using nlohmann::json;

constexpr std::size_t nesting_maximum = 3;  // the header, a tensor, its shape
constexpr std::string_view metadata_key = "__metadata__";

struct TypeName {
  std::string_view name;
  ElementType element;
};

constexpr std::array<TypeName, 13> type_names{{{"BOOL", ElementType::boolean},
                                               {"I8", ElementType::i8},
                                               {"I16", ElementType::i16},
                                               {"I32", ElementType::i32},
                                               {"I64", ElementType::i64},
                                               {"U8", ElementType::u8},
                                               {"U16", ElementType::u16},
                                               {"U32", ElementType::u32},
                                               {"U64", ElementType::u64},
                                               {"F16", ElementType::f16},
                                               {"BF16", ElementType::bf16},
                                               {"F32", ElementType::f32},
                                               {"F64", ElementType::f64}}};

/// Reader of one tensor's description.
class EntryReader {
 public:
  EntryReader(std::string_view name, const json& value, std::string_view file)
      : name_(name), value_(value), file_(file) {}

  Result<SafetensorsEntry> read(std::int64_t data_bytes) const {
    if (!value_.is_object() || value_.size() != 3 || !value_.contains("dtype") ||
        !value_.contains("shape") || !value_.contains("data_offsets"))
      return fault("(" + abbreviate_json(value_) +
                   ") is not an object of dtype, shape and data_offsets");
    SafetensorsEntry entry;
    ACCY_TRY(read_type(entry.element));
    ACCY_TRY(read_shape(entry.shape));
    ACCY_TRY(read_range(data_bytes, entry));
    auto size = byte_count(entry.shape, size_bytes(entry.element));
    if (!size) return fault(size.error().message);
    if (*size != entry.end - entry.begin)
      return fault("takes " + std::to_string(*size) +
                   " bytes by its shape, but data_offsets hold " +
                   std::to_string(entry.end - entry.begin));
    return entry;
  }

 private:
  Failure fault(const std::string& what, ErrorCode code = ErrorCode::invalid_input) const {
    return fail(code, std::string(file_) + ": tensor " + quote_for_message(name_) + ": " + what);
  }

  Status read_type(ElementType& element) const {
    const json& dtype = value_["dtype"];
    if (!dtype.is_string()) return fault("dtype (" + abbreviate_json(dtype) + ") is not a string");
    const auto found =
        std::ranges::find(type_names, dtype.get_ref<const std::string&>(), &TypeName::name);
    if (found == type_names.end())
      return fault("dtype (" + abbreviate_json(dtype) + ") is not supported",
                   ErrorCode::unsupported);
    element = found->element;
    return {};
  }

  static std::optional<std::int64_t> integer(const json& value, std::int64_t maximum) {
    if (!value.is_number_unsigned()) return std::nullopt;  // how every non-negative one is stored
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(maximum)) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }

  Status read_shape(std::vector<std::int64_t>& shape) const {
    const json& list = value_["shape"];
    if (!list.is_array()) return fault("shape (" + abbreviate_json(list) + ") is not an array");
    if (list.size() > limits::rank)
      return fault("rank (" + std::to_string(list.size()) + ") exceeds the limit (" +
                   std::to_string(limits::rank) + ")");
    for (const json& element : list) {
      const auto dimension = integer(element, limits::dimension);
      if (!dimension)
        return fault("dimension (" + abbreviate_json(element) + ") is not an integer in 0 to " +
                     std::to_string(limits::dimension));
      shape.push_back(*dimension);
    }
    return {};
  }

  Status read_range(std::int64_t data_bytes, SafetensorsEntry& entry) const {
    const json& offsets = value_["data_offsets"];
    if (!offsets.is_array() || offsets.size() != 2)
      return fault("data_offsets (" + abbreviate_json(offsets) + ") is not an array of two");
    const auto begin = integer(offsets[0], data_bytes);
    const auto end = integer(offsets[1], data_bytes);
    if (!begin || !end || *begin > *end)
      return fault("data_offsets (" + abbreviate_json(offsets) + ") is not a range in 0 to " +
                   std::to_string(data_bytes));
    entry.begin = *begin;
    entry.end = *end;
    return {};
  }

  std::string_view name_;
  const json& value_;
  std::string_view file_;
};

Status check_metadata(const json& metadata, std::string_view file) {
  const bool texts = metadata.is_object() && std::ranges::all_of(metadata, [](const json& value) {
                       return value.is_string();
                     });
  if (texts) return {};
  return fail(ErrorCode::invalid_input, std::string(file) + ": __metadata__ (" +
                                            abbreviate_json(metadata) +
                                            ") is not an object of strings");
}

/// Every byte of the data must belong to exactly one tensor.
Status check_cover(const SafetensorsEntries& entries, std::int64_t data_bytes,
                   std::string_view file) {
  std::vector<const SafetensorsEntries::value_type*> ordered;
  for (const auto& entry : entries) ordered.push_back(&entry);
  std::ranges::sort(ordered, [](const auto* left, const auto* right) {
    return std::pair(left->second.begin, left->second.end) <
           std::pair(right->second.begin, right->second.end);
  });
  std::int64_t covered = 0;
  for (const auto* entry : ordered) {
    if (entry->second.begin != covered)
      return fail(ErrorCode::invalid_input,
                  std::string(file) + ": tensor " + quote_for_message(entry->first) +
                      " begins at byte " + std::to_string(entry->second.begin) +
                      (entry->second.begin < covered ? ", overlapping" : ", leaving a hole after") +
                      " the tensor that ends at " + std::to_string(covered));
    covered = entry->second.end;
  }
  if (covered != data_bytes)
    return fail(ErrorCode::invalid_input,
                std::string(file) + ": tensors cover " + std::to_string(covered) +
                    " bytes, but the file has " + std::to_string(data_bytes) + " of data");
  return {};
}

}  // namespace

Result<SafetensorsEntries> parse_safetensors_header(std::string_view text, std::int64_t data_bytes,
                                                    std::string_view file) {
  if (!text.starts_with('{'))
    return fail(ErrorCode::invalid_input,
                std::string(file) + ": safetensors header does not start with '{'");
  ACCY_TRY_ASSIGN(
      const json document,
      parse_json(text, file,
                 {.bytes = static_cast<std::size_t>(safetensors_header_bytes_maximum),
                  .nesting = nesting_maximum}));
  SafetensorsEntries entries;
  for (const auto& [name, value] : document.items()) {
    if (name == metadata_key) {
      ACCY_TRY(check_metadata(value, file));
      continue;
    }
    ACCY_TRY_ASSIGN(SafetensorsEntry entry, EntryReader(name, value, file).read(data_bytes));
    entries.emplace(name, std::move(entry));
  }
  ACCY_TRY(check_cover(entries, data_bytes, file));
  return entries;
}

}  // namespace accy::frontend
