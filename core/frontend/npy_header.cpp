#include "frontend/npy_header.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "support/checked.hpp"
#include "support/json.hpp"

namespace accy::frontend {
namespace {

static_assert(std::endian::native == std::endian::little, "tensor files are little endian");

constexpr std::string_view magic = "\x93NUMPY";

struct TypeName {
  std::string_view name;  ///< kind and bytes, without the byte order
  ElementType element;
};

constexpr std::array<TypeName, 12> type_names{{{"b1", ElementType::boolean},
                                               {"i1", ElementType::i8},
                                               {"i2", ElementType::i16},
                                               {"i4", ElementType::i32},
                                               {"i8", ElementType::i64},
                                               {"u1", ElementType::u8},
                                               {"u2", ElementType::u16},
                                               {"u4", ElementType::u32},
                                               {"u8", ElementType::u64},
                                               {"f2", ElementType::f16},
                                               {"f4", ElementType::f32},
                                               {"f8", ElementType::f64}}};

/// Reader of the dictionary: the strings, booleans and integer tuples that numpy writes there.
class DictionaryReader {
 public:
  DictionaryReader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Status read(NpyHeader& header) {
    ACCY_TRY(expect('{'));
    while (!accept('}')) {
      ACCY_TRY(read_entry(header));
      if (accept(',')) continue;
      ACCY_TRY(expect('}'));
      break;
    }
    skip_spaces();
    if (position_ != text_.size()) return fault("text follows the dictionary");
    if (!seen_descr_) return fault("key 'descr' is missing");
    if (!seen_order_) return fault("key 'fortran_order' is missing");
    if (!seen_shape_) return fault("key 'shape' is missing");
    return {};
  }

 private:
  Failure fault(const std::string& what) const {
    return fail(ErrorCode::invalid_input, std::string(file_) + ": npy header: " + what +
                                              " (at byte " + std::to_string(position_) +
                                              " of the dictionary)");
  }

  void skip_spaces() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n' ||
                                        text_[position_] == '\t' || text_[position_] == '\r'))
      ++position_;
  }

  bool accept(char character) {
    skip_spaces();
    if (position_ == text_.size() || text_[position_] != character) return false;
    ++position_;
    return true;
  }

  Status expect(char character) {
    if (accept(character)) return {};
    const std::string found =
        position_ == text_.size() ? "the end" : quote_for_message(text_.substr(position_, 1));
    return fault(std::string("expects '") + character + "', finds " + found);
  }

  Result<std::string_view> read_string() {
    skip_spaces();
    const char quote = position_ < text_.size() ? text_[position_] : '\0';
    if (quote != '\'' && quote != '"') return fault("expects a string");
    const std::size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) return fault("a string does not end");
    const std::string_view content = text_.substr(position_ + 1, end - position_ - 1);
    if (content.find('\\') != std::string_view::npos) return fault("a string holds an escape");
    position_ = end + 1;
    return content;
  }

  Status read_entry(NpyHeader& header) {
    ACCY_TRY_ASSIGN(const std::string_view key, read_string());
    bool* seen = key == "descr"           ? &seen_descr_
                 : key == "fortran_order" ? &seen_order_
                 : key == "shape"         ? &seen_shape_
                                          : nullptr;
    if (seen == nullptr) return fault("key " + quote_for_message(key) + " is unknown");
    if (*seen) return fault("key " + quote_for_message(key) + " is given twice");
    *seen = true;
    ACCY_TRY(expect(':'));
    if (seen == &seen_descr_) return read_type(header.element);
    if (seen == &seen_order_) return read_boolean(header.fortran_order);
    return read_shape(header.shape);
  }

  Status read_type(ElementType& element) {
    if (accept('[')) {
      return fail(ErrorCode::unsupported,
                  std::string(file_) + ": npy header: a structured type is not supported");
    }
    ACCY_TRY_ASSIGN(const std::string_view descr, read_string());
    const char order = descr.empty() ? '\0' : descr.front();
    const std::string_view name = descr.substr(std::min<std::size_t>(1, descr.size()));
    const auto found = std::ranges::find(type_names, name, &TypeName::name);
    const bool known_order = order == '<' || order == '>' || order == '|' || order == '=';
    if (!known_order || found == type_names.end())
      return fail(ErrorCode::unsupported, std::string(file_) + ": npy type " +
                                              quote_for_message(descr) + " is not supported");
    const bool ordered = size_bytes(found->element) > 1;
    if (ordered && order == '>')
      return fail(ErrorCode::unsupported, std::string(file_) + ": npy type " +
                                              quote_for_message(descr) +
                                              " is big endian, which is not supported");
    if (ordered && order == '|')
      return fault("type " + quote_for_message(descr) + " has no byte order");
    element = found->element;
    return {};
  }

  Status read_boolean(bool& value) {
    skip_spaces();
    for (const bool candidate : {false, true}) {
      const std::string_view word = candidate ? "True" : "False";
      if (!text_.substr(position_).starts_with(word)) continue;
      position_ += word.size();
      value = candidate;
      return {};
    }
    return fault("expects True or False");
  }

  Status read_shape(std::vector<std::int64_t>& shape) {
    ACCY_TRY(expect('('));
    bool comma = true;
    while (!accept(')')) {
      if (!comma) return expect(',');
      if (shape.size() == limits::rank)
        return fault("shape has more axes than the limit (" + std::to_string(limits::rank) + ")");
      ACCY_TRY_ASSIGN(const std::int64_t dimension, read_dimension());
      shape.push_back(dimension);
      comma = accept(',');
    }
    // In Python (3) is a number; only (3,) is a tuple of one.
    if (shape.size() == 1 && !comma) return fault("shape is not a tuple");
    return {};
  }

  Result<std::int64_t> read_dimension() {
    skip_spaces();
    const std::size_t start = position_;
    std::int64_t value = 0;
    while (position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9') {
      value = value * 10 + (text_[position_++] - '0');
      if (value > limits::dimension)
        return fault("dimension exceeds the limit (" + std::to_string(limits::dimension) + ")");
    }
    if (position_ == start) return fault("expects a dimension");
    if (position_ - start > 1 && text_[start] == '0') return fault("dimension starts with a zero");
    return value;
  }

  std::string_view text_;
  std::string_view file_;
  std::size_t position_ = 0;
  bool seen_descr_ = false;
  bool seen_order_ = false;
  bool seen_shape_ = false;
};

/// Checks magic and version; gives the dictionary's place in the prefix.
Result<std::string_view> find_dictionary(std::string_view prefix, std::int64_t file_bytes,
                                         std::string_view file) {
  const std::string name(file);
  if (!prefix.starts_with(magic))
    return fail(ErrorCode::invalid_input, name + ": is no npy file (wrong first bytes)");
  const auto byte = [&](std::size_t index) {
    return index < prefix.size() ? static_cast<unsigned char>(prefix[index]) : 0U;
  };
  const unsigned major = byte(6);
  const unsigned minor = byte(7);
  if (prefix.size() < 10 || major < 1 || major > 3 || minor != 0)
    return fail(ErrorCode::unsupported, name + ": npy version " + std::to_string(major) + "." +
                                            std::to_string(minor) + " is not 1.0, 2.0 or 3.0");
  const std::uint64_t length = major == 1
                                   ? byte(8) | byte(9) << 8
                                   : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  const std::uint64_t start = major == 1 ? 10 : 12;
  if (start + length > static_cast<std::uint64_t>(file_bytes))
    return fail(ErrorCode::invalid_input,
                name + ": npy header (" + std::to_string(start + length) +
                    " bytes) does not fit the file (" + std::to_string(file_bytes) + " bytes)");
  if (start + length > npy_prefix_bytes_maximum)
    return fail(ErrorCode::invalid_input, name + ": npy header (" +
                                              std::to_string(start + length) +
                                              " bytes) exceeds the limit (" +
                                              std::to_string(npy_prefix_bytes_maximum) + " bytes)");
  return prefix.substr(start, length);
}

}  // namespace

Result<NpyHeader> parse_npy_header(std::span<const std::byte> prefix, std::int64_t file_bytes,
                                   std::string_view file) {
  const std::string_view text(reinterpret_cast<const char*>(prefix.data()), prefix.size());
  ACCY_TRY_ASSIGN(const std::string_view dictionary, find_dictionary(text, file_bytes, file));
  NpyHeader header;
  ACCY_TRY(DictionaryReader(dictionary, file).read(header));
  auto data_bytes = byte_count(header.shape, size_bytes(header.element));
  if (!data_bytes) return fail(std::move(data_bytes.error()).with("reading " + std::string(file)));
  header.data_bytes = *data_bytes;
  header.data_offset = dictionary.data() + dictionary.size() - text.data();
  if (header.data_bytes != file_bytes - header.data_offset)
    return fail(ErrorCode::invalid_input,
                std::string(file) + ": npy data takes " + std::to_string(header.data_bytes) +
                    " bytes, but the file has " + std::to_string(file_bytes - header.data_offset) +
                    " after the header");
  return header;
}

Result<std::string> format_npy_header(ElementType element, std::span<const std::int64_t> shape) {
  const auto found = std::ranges::find(type_names, element, &TypeName::element);
  if (found == type_names.end())
    return fail(ErrorCode::unsupported, "npy has no type for " + std::string(to_string(element)) +
                                            "; write safetensors or cast to f32");
  if (shape.size() > limits::rank)
    return fail(ErrorCode::invalid_input, "tensor rank (" + std::to_string(shape.size()) +
                                              ") exceeds the limit (" +
                                              std::to_string(limits::rank) + ")");
  std::string text = std::string("{'descr': '") + (size_bytes(element) == 1 ? '|' : '<') +
                     std::string(found->name) + "', 'fortran_order': False, 'shape': (";
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    text += (axis == 0 ? "" : ", ") + std::to_string(shape[axis]);
  text += shape.size() == 1 ? ",), }" : "), }";
  constexpr std::size_t fixed_bytes = 10;
  while ((fixed_bytes + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string header(magic);
  header += {'\x01', '\x00', static_cast<char>(text.size() & 0xff),
             static_cast<char>(text.size() >> 8)};
  return header + text;
}

}  // namespace accy::frontend
