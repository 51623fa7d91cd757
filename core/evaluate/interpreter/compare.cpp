// Comparison and selection.
#include "evaluate/interpreter/frame.hpp"
#include "evaluate/interpreter/native.hpp"

namespace accy::evaluate::interpreter {
namespace {

// C++ compares floats as IEEE 754 does: with a NaN only != is true.
template <class T>
std::uint8_t is_equal(T a, T b) {
  return a == b;
}
template <class T>
std::uint8_t is_unequal(T a, T b) {
  return a != b;
}
template <class T>
std::uint8_t is_less(T a, T b) {
  return a < b;
}
template <class T>
std::uint8_t is_at_most(T a, T b) {
  return a <= b;
}
template <class T>
std::uint8_t is_greater(T a, T b) {
  return a > b;
}
template <class T>
std::uint8_t is_at_least(T a, T b) {
  return a >= b;
}

using CompareTable = std::array<Handler, 6>;  // by kernel::Predicate

template <class T>
struct Compare {
  static const CompareTable* make() {
    using Byte = std::uint8_t;
    static constexpr CompareTable table{
        map_binary<T, Byte, is_equal<T>>,   map_binary<T, Byte, is_unequal<T>>,
        map_binary<T, Byte, is_less<T>>,    map_binary<T, Byte, is_at_most<T>>,
        map_binary<T, Byte, is_greater<T>>, map_binary<T, Byte, is_at_least<T>>};
    return &table;
  }
};

template <class T>
bool map_select(Frame& frame, const Instruction& instruction) {
  const auto* condition = frame.at<std::uint8_t>(instruction.operands[0]);
  const T* a = frame.at<T>(instruction.operands[1]);
  const T* b = frame.at<T>(instruction.operands[2]);
  T* result = frame.at<T>(instruction.result);
  for (std::size_t lane = 0; lane < frame.lanes; ++lane)
    result[lane] = condition[lane] != 0 ? a[lane] : b[lane];
  return true;
}

Handler select_handler(std::int64_t size) {
  switch (size) {
    case 1: return map_select<std::uint8_t>;
    case 2: return map_select<std::uint16_t>;
    case 4: return map_select<std::uint32_t>;
    case 8: return map_select<std::uint64_t>;
    default: return nullptr;
  }
}

}  // namespace

Handler compare_handler(const choir::Operation& operation) {
  if (operation.name() == kernel::op::select)
    return select_handler(size_bytes(*kernel::as_scalar(operation.result()->type())));
  if (operation.name() != kernel::op::compare) return nullptr;
  const ElementType type = *kernel::as_scalar(operation.operand(0)->type());
  const CompareTable* table =
      type == ElementType::boolean ? Compare<std::uint8_t>::make() : for_computable<Compare>(type);
  return table == nullptr ? nullptr
                          : (*table)[static_cast<std::size_t>(kernel::predicate(operation))];
}

}  // namespace accy::evaluate::interpreter
