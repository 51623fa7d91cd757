#include "dialect/tensor/ops/cast.hpp"

#include <array>
#include <cmath>
#include <cstring>

#include "dialect/tensor/arithmetic/dispatch.hpp"
#include "dialect/tensor/define.hpp"

namespace accy::tensor {
namespace {

/// An integer as f64, rounded to odd: a second rounding to fewer bits then gives the nearest.
double odd_double(std::uint64_t magnitude) {
  constexpr std::uint64_t lost = (std::uint64_t{1} << 11) - 1;
  if (magnitude >> 53 != 0)
    magnitude = (magnitude & ~lost) | ((magnitude & lost) != 0 ? lost + 1 : 0);
  return static_cast<double>(magnitude);
}
double odd_double(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? -odd_double(std::uint64_t{0} - bits) : odd_double(bits);
}

/// `Middle` is f64 for any float source, a 64-bit integer for integers and bool.
template <ElementType Target, class Middle>
typename Format<Target>::Storage convert(Middle value) {
  using Storage = typename Format<Target>::Storage;
  if constexpr (Target == ElementType::boolean) {
    return value != 0 ? 1 : 0;
  } else if constexpr (Target == ElementType::f16 || Target == ElementType::bf16) {
    const double exact = [&] {
      if constexpr (std::integral<Middle>) return odd_double(value);
      else return value;
    }();
    const auto single = static_cast<float>(exact);
    if (static_cast<double>(single) == exact) return Format<Target>::store(single);
    return Target == ElementType::f16 ? half_from_double(exact) : bfloat16_from_double(exact);
  } else if constexpr (std::floating_point<Storage> || std::integral<Middle>) {
    return static_cast<Storage>(value);  // nearest even, or wraps
  } else {
    if (std::isnan(value)) return 0;
    if (value >= std::ldexp(1.0, std::numeric_limits<Storage>::digits))
      return std::numeric_limits<Storage>::max();
    if (value <= static_cast<double>(std::numeric_limits<Storage>::min()))
      return std::numeric_limits<Storage>::min();
    return static_cast<Storage>(value);
  }
}

template <class SourceArithmetic, class TargetArithmetic>
void convert_all(const HostTensor& source, HostTensor& target) {
  using Number = typename SourceArithmetic::Number;
  using Middle = std::conditional_t<
      std::floating_point<Number>, double,
      std::conditional_t<std::is_signed_v<Number>, std::int64_t, std::uint64_t>>;
  constexpr std::int64_t block = 256;
  std::array<Middle, block> middle;
  const auto from = SourceArithmetic::reader(source);
  auto* to = target.view<typename TargetArithmetic::Storage>().data();
  const std::int64_t count = source.count();
  for (std::int64_t start = 0; start < count; start += block) {
    const std::int64_t size = std::min(block, count - start);
    for (std::int64_t index = 0; index < size; ++index) middle[index] = from[start + index];
    for (std::int64_t index = 0; index < size; ++index)
      to[start + index] = convert<TargetArithmetic::element>(middle[index]);
  }
}

}  // namespace

Result<HostTensor> cast_tensor(const HostTensor& tensor, ElementType target, NumericMode mode) {
  if (tensor.element == target) return tensor;
  ACCY_TRY_ASSIGN(HostTensor out, HostTensor::zeros(target, tensor.shape));
  with_any<HostTensor>(tensor.element, mode, [&](const auto& from) {
    with_any<HostTensor>(target, mode, [&](const auto& to) {
      convert_all<std::decay_t<decltype(from)>, std::decay_t<decltype(to)>>(tensor, out);
    });
  });
  return out;
}

Result<WideTensor> cast_tensor(const WideTensor& tensor, ElementType target, NumericMode mode) {
  if (tensor.element == target) return tensor;
  ACCY_TRY_ASSIGN(WideTensor out, wide_zeros(target, tensor.shape));
  const Wide arithmetic(target, mode);
  const Wide::Reader from = Wide::reader(tensor);
  Wide::Writer to = Wide::writer(out);
  for (std::int64_t index = 0; index < out.count(); ++index)
    to.set(index, arithmetic.cast_from(tensor.element, from[index]));
  return out;
}

struct Cast : Operator {
  static constexpr std::string_view name = "tensor.cast";
  static constexpr std::string_view summary =
      "conversion to the result's element type: floats round to nearest even; float to integer "
      "truncates and saturates, NaN gives 0; integers wrap; to bool is x != 0";

  static Status check(const choir::Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType from, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const TensorType to, result_type(operation));
    if (from.shape() == to.shape()) return {};
    return invalid("cast changes the shape from " + shape_to_string(from.shape()) + " to " +
                   shape_to_string(to.shape()));
  }
  template <class Tensor>
  static Result<Tensor> evaluate(const Call<Tensor>& call) {
    return cast_tensor(*call.operands[0], call.element, call.mode);
  }
};

template const choir::OperationDefinition& definition<Cast>();

}  // namespace accy::tensor
