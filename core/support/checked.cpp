#include "support/checked.hpp"

namespace accy {

Result<std::int64_t> checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    return fail(ErrorCode::invalid_input, "size product overflows 64 bits (" + std::to_string(a) +
                                              " * " + std::to_string(b) + ")");
  return product;
}

Result<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum))
    return fail(ErrorCode::invalid_input, "size sum overflows 64 bits (" + std::to_string(a) +
                                              " + " + std::to_string(b) + ")");
  return sum;
}

Result<std::int64_t> element_count(std::span<const std::int64_t> shape) {
  bool empty = false;
  for (std::int64_t dimension : shape) {
    if (dimension < 0 || dimension > limits::dimension)
      return fail(ErrorCode::invalid_input, "dimension (" + std::to_string(dimension) +
                                                ") is outside 0 to " +
                                                std::to_string(limits::dimension));
    empty = empty || dimension == 0;
  }
  if (empty) return 0;
  std::int64_t count = 1;
  for (std::int64_t dimension : shape) {
    ACCY_TRY_ASSIGN(count, checked_multiply(count, dimension));
    if (count > limits::elements)
      return fail(ErrorCode::invalid_input, "element count (at least " + std::to_string(count) +
                                                ") exceeds the limit (" +
                                                std::to_string(limits::elements) + ")");
  }
  return count;
}

Result<std::int64_t> byte_count(std::span<const std::int64_t> shape,
                                std::int64_t bytes_per_element) {
  ACCY_TRY_ASSIGN(std::int64_t count, element_count(shape));
  return checked_multiply(count, bytes_per_element);
}

Result<std::int64_t> checked_align(std::int64_t value, std::int64_t alignment) {
  ACCY_TRY_ASSIGN(std::int64_t padded, checked_add(value, alignment - 1));
  return padded & ~(alignment - 1);
}

}  // namespace accy
