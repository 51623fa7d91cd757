#include "dialect/tensor/wide_tensor.hpp"

#include <cmath>
#include <new>

#include "support/checked.hpp"
#include "support/host_memory.hpp"

namespace accy::tensor {

Result<WideTensor> wide_zeros(ElementType element, std::span<const std::int64_t> shape) {
  ACCY_TRY_ASSIGN(const std::int64_t bytes, byte_count(shape, 2 * sizeof(double)));
  ACCY_TRY_ASSIGN(const std::int64_t count, element_count(shape));
  ACCY_TRY(require_host_memory(bytes, "a tensor in f64 with its bounds"));
  WideTensor tensor{element, {shape.begin(), shape.end()}, {}, {}};
  try {
    tensor.value.resize(static_cast<std::size_t>(count));
    tensor.bound.resize(static_cast<std::size_t>(count));
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::out_of_memory, "host memory for a wide tensor (" +
                                              std::to_string(bytes) + " bytes) is not available");
  }
  return tensor;
}

WideTensor widen(const HostTensor& tensor) {
  const auto count = static_cast<std::size_t>(tensor.count());
  WideTensor wide{tensor.element, tensor.shape, std::vector<double>(count),
                  std::vector<double>(count)};
  for (std::size_t index = 0; index < count; ++index)
    wide.value[index] = tensor.at(static_cast<std::int64_t>(index));
  if (tensor.element != ElementType::i64 && tensor.element != ElementType::u64) return wide;
  // An ulp of f64 at that size, where it is more than one.
  for (std::size_t index = 0; index < count; ++index)
    if (std::fabs(wide.value[index]) > 0x1p53)
      wide.bound[index] = std::fabs(wide.value[index]) * 0x1p-52;
  return wide;
}

}  // namespace accy::tensor
