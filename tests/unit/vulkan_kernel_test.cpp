// Kernel programs on a Vulkan device against values that plain C++ computes here: every operation
// on every type, with the corner values that SPIR-V leaves undefined or the device gets wrong.
#include <array>
#include <functional>

#include "support/vulkan_kernel_fixture.hpp"

namespace accy::vulkan {
namespace {

using Word = std::uint64_t;

/// Compares element by element; reports the first few differences with their operands.
template <class Out, class In>
void expect_same(const std::string& what, const std::vector<Out>& found,
                 const std::vector<In>& a, const std::vector<In>& b,
                 const std::function<Out(In, In)>& expected) {
  ASSERT_EQ(found.size(), a.size()) << what;
  int shown = 0;
  for (std::size_t index = 0; index < a.size() && shown < 5; ++index) {
    const Out wanted = expected(a[index], b[index]);
    if (same(found[index], wanted)) continue;
    ++shown;
    if constexpr (std::is_arithmetic_v<Out>)
      ADD_FAILURE() << what << " of " << +a[index] << ", " << +b[index] << ": " << +found[index]
                    << ", expected " << +wanted;
    else
      ADD_FAILURE() << what << " of " << +a[index] << ", " << +b[index];
  }
}

// --- integers ----------------------------------------------------------------------------------

template <class T>
class VulkanIntegerTest : public VulkanKernelTest {
 protected:
  using Unsigned = std::make_unsigned_t<T>;
  static T wrap(Unsigned value) { return static_cast<T>(value); }

  void check(const std::string& op, const std::function<T(T, T)>& expected) {
    std::vector<T> a;
    std::vector<T> b;
    make_pairs(special_integers<T>(), 500, a, b);
    const auto found = apply<T>("kernel." + op + " %x, %y", false, a, b);
    expect_same<T, T>(type_name<T>() + " " + op, found, a, b, expected);
  }

  void check_unary(const std::string& op, const std::function<T(T)>& expected) {
    std::vector<T> a;
    std::vector<T> b;
    make_pairs(special_integers<T>(), 500, a, b);
    const auto found = apply<T>("kernel." + op + " %x", false, a);
    expect_same<T, T>(type_name<T>() + " " + op, found, a, b, [&](T x, T) { return expected(x); });
  }
};

using Integers = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                  std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(VulkanIntegerTest, Integers);

TYPED_TEST(VulkanIntegerTest, WrapsAround) {
  using T = TypeParam;
  const auto word = [](T value) { return static_cast<Word>(value); };
  this->check("add", [&](T a, T b) { return static_cast<T>(word(a) + word(b)); });
  this->check("sub", [&](T a, T b) { return static_cast<T>(word(a) - word(b)); });
  this->check("mul", [&](T a, T b) { return static_cast<T>(word(a) * word(b)); });
  this->check_unary("neg", [&](T a) { return static_cast<T>(Word{0} - word(a)); });
  this->check_unary("abs", [&](T a) { return a < 0 ? static_cast<T>(Word{0} - word(a)) : a; });
}

TYPED_TEST(VulkanIntegerTest, DividesWithItsCorners) {
  using T = TypeParam;
  const bool is_signed = std::is_signed_v<T>;
  const T least = std::numeric_limits<T>::min();
  this->check("div", [&](T a, T b) {
    if (b == 0) return T(0);
    if (is_signed && a == least && b == T(-1)) return least;
    return static_cast<T>(a / b);
  });
  this->check("rem", [&](T a, T b) {
    if (b == 0) return a;
    if (is_signed && a == least && b == T(-1)) return T(0);
    return static_cast<T>(a % b);
  });
}

TYPED_TEST(VulkanIntegerTest, ShiftsByAnyCount) {
  using T = TypeParam;
  using U = std::make_unsigned_t<T>;
  constexpr int width = static_cast<int>(sizeof(T) * 8);
  this->check("shl", [](T a, T n) {
    const U count = static_cast<U>(n);
    return count >= width ? T(0) : static_cast<T>(static_cast<Word>(a) << count);
  });
  this->check("shr", [](T a, T n) {
    const U count = static_cast<U>(n);
    if (count >= width) return std::is_signed_v<T> && a < 0 ? T(-1) : T(0);
    return static_cast<T>(a >> count);
  });
}

TYPED_TEST(VulkanIntegerTest, OrdersAndCombinesBits) {
  using T = TypeParam;
  this->check("min", [](T a, T b) { return a < b ? a : b; });
  this->check("max", [](T a, T b) { return a > b ? a : b; });
  this->check("and", [](T a, T b) { return static_cast<T>(a & b); });
  this->check("or", [](T a, T b) { return static_cast<T>(a | b); });
  this->check("xor", [](T a, T b) { return static_cast<T>(a ^ b); });
  this->check_unary("not", [](T a) { return static_cast<T>(~a); });
}

template <class T>
Bool evaluate(const std::string& predicate, T a, T b) {
  const bool result = predicate == "eq"   ? a == b
                      : predicate == "ne" ? a != b
                      : predicate == "lt" ? a < b
                      : predicate == "le" ? a <= b
                      : predicate == "gt" ? a > b
                                          : a >= b;
  return Bool{static_cast<std::uint8_t>(result)};
}

const std::array<std::string, 6> predicates{"eq", "ne", "lt", "le", "gt", "ge"};

TYPED_TEST(VulkanIntegerTest, Compares) {
  using T = TypeParam;
  std::vector<T> a;
  std::vector<T> b;
  make_pairs(special_integers<T>(), 500, a, b);
  for (const std::string& predicate : predicates) {
    const auto found = this->template apply<Bool>(
        "kernel.compare %x, %y {predicate = " + predicate + "}", false, a, b);
    expect_same<Bool, T>(predicate, found, a, b,
                         [&](T x, T y) { return evaluate(predicate, x, y); });
  }
}

// --- floats ------------------------------------------------------------------------------------

template <class T>
T minimum(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <class T>
T maximum(T a, T b) {
  return -minimum<T>(-a, -b);
}

template <class T>
class VulkanFloatTest : public VulkanKernelTest {
 protected:
  void SetUp() override {
    VulkanKernelTest::SetUp();
    if (IsSkipped()) return;
    make_pairs(special_floats<T>(), 20000, a_, b_);
  }


  void check(const std::string& line, bool exact, const std::function<T(T, T)>& expected) {
    const auto found = apply<T>("kernel." + line, exact, a_, b_);
    expect_same<T, T>(type_name<T>() + (exact ? " exact " : " ") + line, found, a_, b_, expected);
  }

  std::vector<T> a_;
  std::vector<T> b_;
};

using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(VulkanFloatTest, Floats);

TYPED_TEST(VulkanFloatTest, RoundsToNearestEven) {
  using T = TypeParam;
  for (const bool exact : {false, true}) {
    this->check("add %x, %y", exact, [](T a, T b) { return a + b; });
    this->check("sub %x, %y", exact, [](T a, T b) { return a - b; });
    this->check("mul %x, %y", exact, [](T a, T b) { return a * b; });
    this->check("neg %x", exact, [](T a, T) { return -a; });
    this->check("abs %x", exact, [](T a, T) { return std::fabs(a); });
    this->check("floor %x", exact, [](T a, T) { return std::floor(a); });
    this->check("ceil %x", exact, [](T a, T) { return std::ceil(a); });
    this->check("round %x", exact, [](T a, T) { return std::nearbyint(a); });
    this->check("trunc %x", exact, [](T a, T) { return std::trunc(a); });
    this->check("rem %x, %y", exact, [](T a, T b) { return std::fmod(a, b); });
  }
}

TYPED_TEST(VulkanFloatTest, MinAndMaxKeepNaN) {
  using T = TypeParam;
  this->check("min %x, %y", true, minimum<T>);
  this->check("max %x, %y", true, maximum<T>);
  // Without exact the sign of a zero is free.
  const auto without_sign = [](T value) { return value == 0 ? T(0) : value; };
  for (const bool is_min : {true, false}) {
    auto found = this->template apply<T>(is_min ? "kernel.min %x, %y" : "kernel.max %x, %y", false,
                                         this->a_, this->b_);
    for (T& value : found) value = without_sign(value);
    expect_same<T, T>("fast min or max", found, this->a_, this->b_, [&](T a, T b) {
      return without_sign(is_min ? minimum(a, b) : maximum(a, b));
    });
  }
}

TYPED_TEST(VulkanFloatTest, ComparesNaN) {
  using T = TypeParam;
  for (const std::string& predicate : predicates)
    for (const bool exact : {false, true}) {
      const auto found = this->template apply<Bool>(
          "kernel.compare %x, %y {predicate = " + predicate + "}", exact, this->a_, this->b_);
      expect_same<Bool, T>(predicate, found, this->a_, this->b_,
                           [&](T a, T b) { return evaluate(predicate, a, b); });
    }
}

class VulkanExactTest : public VulkanFloatTest<float> {
 protected:
  static constexpr std::size_t significands = std::size_t{1} << 23U;
  static_assert(significands <= 256 * 65535);  // one row of workgroups
};

TEST_F(VulkanExactTest, DividesAndTakesRoots) {
  check("div %x, %y", true, [](float a, float b) { return a / b; });
  check("sqrt %x", true, [](float a, float) { return std::sqrt(a); });
}

TEST_F(VulkanExactTest, EveryRootIsCorrectlyRounded) {
  // The root of a normal number depends on its significand and the parity of its exponent only.
  for (const std::uint32_t first : {0x3f800000U, 0x40000000U}) {
    std::vector<float> values(significands);
    for (std::uint32_t index = 0; index < values.size(); ++index)
      values[index] = std::bit_cast<float>(first + index);
    const auto found = apply<float>("kernel.sqrt %x", true, values);
    ASSERT_EQ(found.size(), values.size());
    std::size_t wrong = 0;
    for (std::size_t index = 0; index < values.size(); ++index)
      wrong += same(found[index], std::sqrt(values[index])) ? 0U : 1U;
    EXPECT_EQ(wrong, 0U);
  }
}

TEST_F(VulkanExactTest, EveryDivisorSignificandIsDividedRight) {
  // Each of the 2^23 significands of the divisor once, against random dividends.
  std::vector<float> a(significands);
  std::vector<float> b(significands);
  std::mt19937 random(99);
  for (std::uint32_t index = 0; index < a.size(); ++index) {
    a[index] = from_bits<float>(0x3f800000U | (random() & 0x007fffffU));
    b[index] = std::bit_cast<float>(0x3f800000U + index);
  }
  const auto found = apply<float>("kernel.div %x, %y", true, a, b);
  ASSERT_EQ(found.size(), a.size());
  std::size_t wrong = 0;
  for (std::size_t index = 0; index < a.size(); ++index)
    wrong += same(found[index], a[index] / b[index]) ? 0U : 1U;
  EXPECT_EQ(wrong, 0U);
}

/// Applies a line to %x and a constant %z in an exact function.
class VulkanZeroTest : public VulkanKernelTest {
 protected:
  std::vector<float> run_line(const std::string& constant, const std::string& line,
                              const std::vector<float>& x) {
    KernelText text;
    text.exact = true;
    text.workgroup = "[128, 1, 1]";
    text.parameters = "%in: buffer<f32, read, address>, %out: buffer<f32, write, address>";
    text.body = "  %i = kernel.local_id {axis = 0} : i32\n" + constant +
                "  %x = kernel.load %in, %i : f32\n  %r = kernel." + line +
                " : f32\n  kernel.store %r, %out, %i\n";
    const auto results =
        run_kernel(text, {{1, 1, 1}, {to_bytes(x), Bytes(x.size() * sizeof(float))}, {}});
    return results.empty() ? std::vector<float>{} : from_bytes<float>(results[1]);
  }

  void check(const std::string& constant, const std::string& line,
             const std::function<float(float)>& expected) {
    std::vector<float> x = special_floats<float>();
    x.resize(128, 1.0F);
    const auto found = run_line(constant, line, x);
    expect_same<float, float>(constant + line, found, x, x,
                              [&](float value, float) { return expected(value); });
  }
};

TEST_F(VulkanZeroTest, ConstantZerosAreNotFolded) {
  const std::string literal = "  %z = kernel.constant {value = 0.0} : f32\n";
  const std::string cast =
      "  %int = kernel.constant {value = 0} : i32\n  %z = kernel.cast %int : f32\n";
  const std::string bits =
      "  %int = kernel.constant {value = 0} : u32\n  %z = kernel.bitcast %int : f32\n";
  const std::string flag =
      "  %int = kernel.constant {value = false} : bool\n  %z = kernel.cast %int : f32\n";
  const std::string difference =
      "  %one = kernel.constant {value = 1.0} : f32\n  %z = kernel.sub %one, %one : f32\n";
  volatile float zero = 0.0F;  // the compiler of this test must not fold either
  for (const std::string& constant : {literal, cast, bits, flag, difference}) {
    check(constant, "add %x, %z", [&](float x) { return x + zero; });
    check(constant, "add %z, %x", [&](float x) { return zero + x; });
    check(constant, "mul %x, %z", [&](float x) { return x * zero; });
    check(constant, "sub %z, %x", [&](float x) { return zero - x; });
    check(constant, "div %z, %x", [&](float x) { return zero / x; });
    check(constant, "sub %x, %z", [&](float x) { return x - zero; });
  }
  volatile float minus_zero = -0.0F;
  const std::string negative = "  %z = kernel.constant {value = -0.0} : f32\n";
  check(negative, "add %x, %z", [&](float x) { return x + minus_zero; });
  check(negative, "mul %x, %z", [&](float x) { return x * minus_zero; });
}

// --- devices that promise less -----------------------------------------------------------------

/// Compiles for a profile without float controls: NaN is then found by bits, and halves are
/// converted by integer code.
class VulkanPortableTest : public VulkanFloatTest<float> {
 protected:
  void SetUp() override {
    VulkanFloatTest<float>::SetUp();
    if (IsSkipped()) return;
    TargetProfile less = profile();
    less.rounding_rte_f32 = false;
    less.rounding_rte_f16 = false;
    less.signed_zero_inf_nan_f32 = false;
    less.arithmetic_f16 = false;
    compile_for(less);
  }
};

TEST_F(VulkanPortableTest, ComparesAndOrdersNaN) {
  for (const std::string& predicate : predicates) {
    const auto found =
        apply<Bool>("kernel.compare %x, %y {predicate = " + predicate + "}", false, a_, b_);
    expect_same<Bool, float>(predicate, found, a_, b_,
                             [&](float a, float b) { return evaluate(predicate, a, b); });
  }
  for (const bool is_min : {true, false}) {
    const auto found =
        apply<float>(is_min ? "kernel.min %x, %y" : "kernel.max %x, %y", false, a_, b_);
    ASSERT_EQ(found.size(), a_.size());
    for (std::size_t index = 0; index < found.size(); ++index) {
      const float wanted = is_min ? minimum(a_[index], b_[index]) : maximum(a_[index], b_[index]);
      EXPECT_TRUE(found[index] == wanted || same(found[index], wanted));
    }
  }
}

TEST_F(VulkanPortableTest, SaturatesAndRoundsToHalf) {
  const auto integers = apply<std::int32_t>("kernel.cast %x", false, a_);
  const auto halves = apply<Half>("kernel.cast %x", false, a_);
  ASSERT_EQ(integers.size(), a_.size());
  ASSERT_EQ(halves.size(), a_.size());
  for (std::size_t index = 0; index < a_.size(); ++index) {
    const float value = a_[index];
    const std::int32_t wanted = std::isnan(value)        ? 0
                                : value >= 2147483648.0F ? 2147483647
                                : value < -2147483648.0F ? std::numeric_limits<std::int32_t>::min()
                                                         : static_cast<std::int32_t>(value);
    EXPECT_EQ(integers[index], wanted) << value;
    if (!std::isnan(value)) {
      EXPECT_EQ(halves[index].bits, half_from_double(value)) << value;
    }
  }
}

}  // namespace
}  // namespace accy::vulkan
