#include "accy/host_tensor.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>

#include "support/checked.hpp"
#include "support/host_memory.hpp"

namespace accy {
namespace {

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    text += (axis == 0 ? "" : ", ") + std::to_string(shape[axis]);
  return text + "]";
}

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <class T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

/// Truncates and saturates; NaN gives 0.
template <std::integral T>
T integer_from(double value) {
  if (std::isnan(value)) return 0;
  // Both limits are exact in f64: the upper one as one past the maximum.
  const double past = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (value >= past) return std::numeric_limits<T>::max();
  if (value <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

void store_converted(ElementType element, std::byte* to, double value) {
  switch (element) {
    case ElementType::boolean: return store<std::uint8_t>(to, value != 0 ? 1 : 0);
    case ElementType::i8: return store(to, integer_from<std::int8_t>(value));
    case ElementType::i16: return store(to, integer_from<std::int16_t>(value));
    case ElementType::i32: return store(to, integer_from<std::int32_t>(value));
    case ElementType::i64: return store(to, integer_from<std::int64_t>(value));
    case ElementType::u8: return store(to, integer_from<std::uint8_t>(value));
    case ElementType::u16: return store(to, integer_from<std::uint16_t>(value));
    case ElementType::u32: return store(to, integer_from<std::uint32_t>(value));
    case ElementType::u64: return store(to, integer_from<std::uint64_t>(value));
    case ElementType::f16: return store(to, half_from_double(value));
    case ElementType::bf16: return store(to, bfloat16_from_double(value));
    case ElementType::f32: return store(to, static_cast<float>(value));
    case ElementType::f64: return store(to, value);
  }
}

double load_converted(ElementType element, const std::byte* from) {
  switch (element) {
    case ElementType::boolean: return load<std::uint8_t>(from);
    case ElementType::i8: return load<std::int8_t>(from);
    case ElementType::i16: return load<std::int16_t>(from);
    case ElementType::i32: return load<std::int32_t>(from);
    case ElementType::i64: return static_cast<double>(load<std::int64_t>(from));
    case ElementType::u8: return load<std::uint8_t>(from);
    case ElementType::u16: return load<std::uint16_t>(from);
    case ElementType::u32: return load<std::uint32_t>(from);
    case ElementType::u64: return static_cast<double>(load<std::uint64_t>(from));
    case ElementType::f16: return double_from_half(load<std::uint16_t>(from));
    case ElementType::bf16: return double_from_bfloat16(load<std::uint16_t>(from));
    case ElementType::f32: return load<float>(from);
    case ElementType::f64: return load<double>(from);
  }
  return 0;
}

}  // namespace

Result<HostTensor> HostTensor::zeros(ElementType element, std::span<const std::int64_t> shape) {
  ACCY_TRY_ASSIGN(const std::int64_t size, byte_count(shape, size_bytes(element)));
  ACCY_TRY(require_host_memory(size, "a tensor of shape " + shape_text(shape)));
  HostTensor tensor{element, {shape.begin(), shape.end()}, {}};
  try {
    tensor.bytes.resize(static_cast<std::size_t>(size));
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::out_of_memory, "host memory for a tensor of shape " +
                                              shape_text(shape) + " (" + std::to_string(size) +
                                              " bytes) is not available");
  }
  return tensor;
}

Result<HostTensor> HostTensor::from_bytes(ElementType element, std::span<const std::int64_t> shape,
                                          std::vector<std::byte> bytes) {
  ACCY_TRY_ASSIGN(const std::int64_t size, byte_count(shape, size_bytes(element)));
  if (static_cast<std::uint64_t>(size) != bytes.size())
    return fail(ErrorCode::invalid_input,
                "tensor of " + std::string(to_string(element)) + " and shape " +
                    shape_text(shape) + " takes " + std::to_string(size) + " bytes, not " +
                    std::to_string(bytes.size()));
  if (element == ElementType::boolean)
    for (std::size_t index = 0; index < bytes.size(); ++index)
      if (std::to_integer<int>(bytes[index]) > 1)
        return fail(ErrorCode::invalid_input,
                    "bool at index " + std::to_string(index) + " is stored as (" +
                        std::to_string(std::to_integer<int>(bytes[index])) + "), not 0 or 1");
  return HostTensor{element, {shape.begin(), shape.end()}, std::move(bytes)};
}

Result<HostTensor> HostTensor::from_values(ElementType element,
                                           std::span<const std::int64_t> shape,
                                           std::span<const double> values) {
  ACCY_TRY_ASSIGN(const std::int64_t count, element_count(shape));
  if (static_cast<std::uint64_t>(count) != values.size())
    return fail(ErrorCode::invalid_input, "tensor of shape " + shape_text(shape) + " takes " +
                                              std::to_string(count) + " values, not " +
                                              std::to_string(values.size()));
  ACCY_TRY_ASSIGN(HostTensor tensor, zeros(element, shape));
  const auto stride = static_cast<std::size_t>(size_bytes(element));
  for (std::size_t index = 0; index < values.size(); ++index)
    store_converted(element, tensor.bytes.data() + index * stride, values[index]);
  return tensor;
}

std::int64_t HostTensor::count() const {
  return static_cast<std::int64_t>(bytes.size()) / size_bytes(element);
}

double HostTensor::at(std::int64_t index) const {
  ACCY_ASSERT(index >= 0 && index < count(), "tensor index out of range");
  return load_converted(element, bytes.data() + index * size_bytes(element));
}

void HostTensor::set(std::int64_t index, double value) {
  ACCY_ASSERT(index >= 0 && index < count(), "tensor index out of range");
  store_converted(element, bytes.data() + index * size_bytes(element), value);
}

}  // namespace accy
