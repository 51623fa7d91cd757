// Casts between all pairs of types on a Vulkan device, against conversions through long double,
// which holds every value of every type exactly.
#include <tuple>

#include "support/vulkan_kernel_fixture.hpp"

namespace accy::vulkan {
namespace {

template <class T>
constexpr bool is_narrow = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>;

template <class T>
long double decode(T value) {
  if constexpr (std::is_same_v<T, Bool>) return value.byte;
  else if constexpr (std::is_same_v<T, Half>) return double_from_half(value.bits);
  else if constexpr (std::is_same_v<T, Bfloat16>) return double_from_bfloat16(value.bits);
  else return static_cast<long double>(value);
}

/// Rounds to nearest even, to `bits` significant bits but no finer than 2^lowest.
double round_to(long double value, int bits, int lowest) {
  if (value == 0 || std::isnan(value) || std::isinf(value)) return static_cast<double>(value);
  int exponent = 0;
  std::frexp(value, &exponent);
  const int unit = std::max(exponent - bits, lowest);
  return static_cast<double>(std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit));
}

template <class Out>
Out encode_float(long double value) {
  if constexpr (std::is_same_v<Out, Half>) return {half_from_double(round_to(value, 11, -24))};
  else if constexpr (std::is_same_v<Out, Bfloat16>)
    return {bfloat16_from_double(round_to(value, 8, -133))};
  else return static_cast<Out>(value);
}

template <class Out, class In>
Out encode_integer(long double value) {
  if constexpr (std::is_integral_v<In> || std::is_same_v<In, Bool>) {
    return static_cast<Out>(static_cast<std::uint64_t>(static_cast<__int128_t>(value)));
  } else {
    if (std::isnan(value)) return 0;
    const long double whole = std::trunc(value);
    if (whole < static_cast<long double>(std::numeric_limits<Out>::min()))
      return std::numeric_limits<Out>::min();
    if (whole > static_cast<long double>(std::numeric_limits<Out>::max()))
      return std::numeric_limits<Out>::max();
    return static_cast<Out>(whole);
  }
}

template <class Out, class In>
Out convert(In value) {
  const long double wide = decode(value);
  if constexpr (std::is_same_v<Out, Bool>)
    return {static_cast<std::uint8_t>(std::isnan(wide) || wide != 0)};
  else if constexpr (std::is_integral_v<Out>) return encode_integer<Out, In>(wide);
  else return encode_float<Out>(wide);
}

template <class T>
bool equal(T a, T b) {
  if constexpr (is_narrow<T>)
    return a.bits == b.bits || (std::isnan(decode(a)) && std::isnan(decode(b)));
  else return same(a, b);
}

template <class T>
std::vector<T> sources() {
  if constexpr (std::is_same_v<T, Bool>) {
    return {{0}, {1}};
  } else if constexpr (is_narrow<T>) {
    std::vector<T> values;
    for (std::uint32_t bits = 0; bits < 65536; ++bits)
      values.push_back({static_cast<std::uint16_t>(bits)});
    return values;
  } else if constexpr (std::is_floating_point_v<T>) {
    std::vector<T> values;
    std::vector<T> unused;
    make_pairs(special_floats<T>(), 20000, values, unused);
    std::mt19937_64 random(5);
    // Around the borders of the narrow floats: normal, subnormal and overflow.
    for (int index = 0; index < 20000; ++index)
      values.push_back(std::ldexp(static_cast<T>(random() & 0x1fffffU),
                                  static_cast<int>(random() % 64) - 48));
    // Just beside a tie of f16 and of bf16, where rounding twice would be wrong.
    for (const T tie : {T(1) + std::ldexp(T(1), -11), T(1) + std::ldexp(T(1), -8)})
      for (const T near : {tie, std::nextafter(tie, T(2)), std::nextafter(tie, T(0))})
        values.push_back(near);
    return values;
  } else {
    std::vector<T> values;
    std::vector<T> unused;
    make_pairs(special_integers<T>(), 5000, values, unused);
    std::mt19937_64 random(6);
    for (int index = 0; index < 5000; ++index)
      values.push_back(static_cast<T>(random() >> (random() % 64)));
    if constexpr (sizeof(T) >= 4) {
      // Ties of bf16, one below and one above them.
      for (int top = 9; top < std::numeric_limits<T>::digits; ++top) {
        const auto tie = static_cast<T>((T(1) << top) + (T(1) << (top - 8)));
        for (const T near : {tie, static_cast<T>(tie + 1), static_cast<T>(tie - 1)}) {
          values.push_back(near);
          values.push_back(static_cast<T>(0 - static_cast<std::uint64_t>(near)));
        }
      }
    }
    return values;
  }
}

template <class In>
class VulkanCastTest : public VulkanKernelTest {
 protected:
  template <class Out>
  void check(bool exact) {
    if constexpr (!std::is_same_v<In, Out>) {
      const std::vector<In> values = sources<In>();
      const auto found = apply<Out>("kernel.cast %x", exact, values);
      ASSERT_EQ(found.size(), values.size());
      int shown = 0;
      for (std::size_t index = 0; index < values.size() && shown < 4; ++index) {
        const Out wanted = convert<Out>(values[index]);
        if (equal(found[index], wanted)) continue;
        ++shown;
        ADD_FAILURE() << type_name<In>() << " to " << type_name<Out>()
                      << (exact ? " exact" : " fast") << ": " << decode(values[index]) << " gives "
                      << decode(found[index]) << ", expected " << decode(wanted);
      }
    }
  }

  template <class... Out>
  void check_all(const std::tuple<Out...>&) {
    for (const bool exact : {false, true}) (check<Out>(exact), ...);
  }
};

using AllTypes =
    std::tuple<Bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
               std::uint16_t, std::uint32_t, std::uint64_t, Half, Bfloat16, float, double>;
using Sources =
    ::testing::Types<Bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                     std::uint16_t, std::uint32_t, std::uint64_t, Half, Bfloat16, float, double>;
TYPED_TEST_SUITE(VulkanCastTest, Sources);

TYPED_TEST(VulkanCastTest, ToEveryOtherType) { this->check_all(AllTypes{}); }

}  // namespace
}  // namespace accy::vulkan
