// What the emitted PTX computes, by executing it on the CPU: every operation on corner values
// against values worked out here, for the two code paths (before and from sm_80).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

#include "accy/element_type.hpp"
#include "support/ptx_evaluator.hpp"
#include "support/ptx_kernels.hpp"

namespace accy::cuda {
namespace {

using test::Applications;

// --- values ---------------------------------------------------------------------------------

using Number = long double;  // holds every value of every type
static_assert(std::numeric_limits<Number>::digits >= 64);

struct Format {
  int precision;  ///< significant bits
  int smallest;   ///< exponent of the smallest subnormal
  int above;      ///< 2^above overflows
};

Format format_of(ElementType type) {
  switch (type) {
    case ElementType::f16: return {11, -24, 16};
    case ElementType::bf16: return {8, -133, 128};
    case ElementType::f32: return {24, -149, 128};
    default: return {53, -1074, 1024};
  }
}

/// Rounds once, to nearest even.
Number rounded(Number value, ElementType type) {
  if (std::isnan(value) || std::isinf(value) || value == 0) return value;
  const Format format = format_of(type);
  int exponent = 0;
  std::frexp(value, &exponent);
  const int quantum = std::max(exponent - format.precision, format.smallest);
  const Number result = std::ldexp(std::rint(std::ldexp(value, -quantum)), quantum);
  if (std::fabs(result) >= std::ldexp(Number{1}, format.above))
    return std::copysign(std::numeric_limits<Number>::infinity(), value);
  return result;
}

int integer_bits(ElementType type) { return bit_width(type) - (is_signed(type) ? 1 : 0); }
Number largest(ElementType type) { return std::ldexp(Number{1}, integer_bits(type)) - 1; }
Number smallest(ElementType type) {
  return is_signed(type) ? -std::ldexp(Number{1}, integer_bits(type)) : 0;
}

/// An integral number modulo 2^width, in the type's range.
Number wrapped(Number value, ElementType type) {
  const Number modulus = std::ldexp(Number{1}, bit_width(type));
  Number rest = std::fmod(value, modulus);
  if (rest > largest(type)) rest -= modulus;
  if (rest < smallest(type)) rest += modulus;
  return rest;
}

std::uint64_t encode(Number value, ElementType type) {
  switch (type) {
    case ElementType::boolean: return value != 0 ? 1 : 0;
    case ElementType::f16: return half_from_double(static_cast<double>(value));
    case ElementType::bf16: return bfloat16_from_double(static_cast<double>(value));
    case ElementType::f32: return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case ElementType::f64: return std::bit_cast<std::uint64_t>(static_cast<double>(value));
    default: break;
  }
  return value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                   : static_cast<std::uint64_t>(value);
}

Number decode(std::uint64_t bits, ElementType type) {
  switch (type) {
    case ElementType::f16: return double_from_half(static_cast<std::uint16_t>(bits));
    case ElementType::bf16: return double_from_bfloat16(static_cast<std::uint16_t>(bits));
    case ElementType::f32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case ElementType::f64: return std::bit_cast<double>(bits);
    case ElementType::boolean: return static_cast<Number>(bits);
    default: return wrapped(static_cast<Number>(bits), type);
  }
}

using Numbers = std::vector<Number>;

Numbers float_corners(ElementType type) {
  const Format format = format_of(type);
  const Number tiny = std::ldexp(Number{1}, format.smallest);
  const Number maximum =
      std::ldexp(Number{1}, format.above) - std::ldexp(Number{1}, format.above - format.precision);
  const Number infinity = std::numeric_limits<Number>::infinity();
  const Number normal = std::ldexp(Number{1}, format.smallest + format.precision - 1);
  return {0.0L,
          -0.0L,
          1,
          -1,
          1.5L,
          -2.5L,
          3,
          0.1L,
          tiny,
          -tiny,
          5 * tiny,
          normal,
          maximum,
          -maximum,
          infinity,
          -infinity,
          std::numeric_limits<Number>::quiet_NaN(),
          1e4L,
          127.5L,
          255.9L,
          -128.9L,
          40000};
}

Numbers integer_corners(ElementType type) {
  const Number width = bit_width(type);
  Numbers all{0,
              1,
              2,
              3,
              7,
              width - 1,
              width,
              width + 1,
              largest(type),
              largest(type) - 1,
              std::floor(largest(type) / 2) + 1,
              smallest(type),
              smallest(type) + 1};
  if (is_signed(type)) all.insert(all.end(), {-1, -2, -7, -width});
  for (const Number value : {255, 256, 65504, 65519, 65520, 65535, 16777217, 2130706561})
    if (value <= largest(type)) all.push_back(value);
  return all;
}

Numbers corners(ElementType type) {
  if (type == ElementType::boolean) return {0, 1};
  Numbers all = is_float(type) ? float_corners(type) : integer_corners(type);
  if (is_float(type))
    for (Number& value : all) value = rounded(value, type);
  return all;
}

ElementType type_of(std::string_view name) { return *element_type_from(name); }

// --- execution ------------------------------------------------------------------------------

std::vector<std::byte> encode_all(const Numbers& values, ElementType type) {
  const auto size = static_cast<std::size_t>(size_bytes(type));
  std::vector<std::byte> bytes(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t bits = encode(values[i], type);
    std::memcpy(bytes.data() + i * size, &bits, size);
  }
  return bytes;
}

Numbers decode_all(const std::vector<std::byte>& bytes, ElementType type) {
  const auto size = static_cast<std::size_t>(size_bytes(type));
  Numbers values;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, size);
    values.push_back(decode(bits, type));
  }
  return values;
}

/// Compiles for the profile and runs with these buffers as the parameters.
void execute(const std::string& text, const std::string& profile,
             std::vector<std::vector<std::byte>*> buffers, std::uint32_t groups,
             const std::vector<std::byte>& scalars = {}) {
  const auto ptx = test::compile_to_ptx(text, test::cuda_profile(profile));
  ASSERT_TRUE(ptx) << ptx.error().to_string();
  std::vector<std::byte> arguments(buffers.size() * 8);
  std::vector<std::span<std::byte>> memory;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const auto address = reinterpret_cast<std::uintptr_t>(buffers[i]->data());
    std::memcpy(arguments.data() + 8 * i, &address, 8);
    memory.emplace_back(*buffers[i]);
  }
  arguments.insert(arguments.end(), scalars.begin(), scalars.end());
  try {
    test::PtxProgram(*ptx).run({groups, 1, 1}, arguments, memory);
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what() << "\n" << *ptx;
  }
}

/// Operands and the results of the kernel's operations on them, one list each.
struct Outcome {
  Numbers a;
  Numbers b;
  std::vector<Numbers> results;
};

Outcome all_pairs(const Numbers& values) {
  Outcome outcome;
  for (const Number a : values)
    for (const Number b : values) {
      outcome.a.push_back(a);
      outcome.b.push_back(b);
    }
  return outcome;
}

/// Runs the kernel on the operands, filled up to whole workgroups.
Outcome apply(const Applications& kernel, ElementType type, Outcome outcome,
              const std::string& profile, const test::KernelOptions& options = {}) {
  while (outcome.a.size() % 64 != 0) {
    outcome.a.push_back(outcome.a.front());
    outcome.b.push_back(outcome.b.front());
  }
  std::vector<std::vector<std::byte>> buffers{encode_all(outcome.a, type),
                                              encode_all(outcome.b, type)};
  for (const std::string& result : kernel.results())
    buffers.emplace_back(outcome.a.size() * static_cast<std::size_t>(size_bytes(type_of(result))));
  std::vector<std::vector<std::byte>*> pointers;
  for (auto& buffer : buffers) pointers.push_back(&buffer);
  execute(kernel.text(options), profile, pointers,
          static_cast<std::uint32_t>(outcome.a.size() / 64));
  for (std::size_t i = 0; i < kernel.results().size(); ++i)
    outcome.results.push_back(decode_all(buffers[i + 2], type_of(kernel.results()[i])));
  return outcome;
}

bool same(Number expected, Number actual) {
  if (std::isnan(expected)) return std::isnan(actual);
  return expected == actual && std::signbit(expected) == std::signbit(actual);
}

struct Case {
  std::string operation;
  std::string result;  ///< empty: the operands' type
  std::function<Number(Number, Number)> expected;
};

/// Applies each case to all pairs and compares.
void expect_cases(const std::string& type, const Numbers& values, const std::vector<Case>& cases,
                  const test::KernelOptions& options = {}) {
  for (const char* profile : {"sm_75", "sm_80"}) {
    Applications kernel(type);
    for (const Case& one : cases)
      kernel.apply(one.operation, one.result.empty() ? type : one.result);
    const Outcome outcome = apply(kernel, type_of(type), all_pairs(values), profile, options);
    for (std::size_t i = 0; i < cases.size(); ++i)
      for (std::size_t k = 0; k < outcome.a.size(); ++k) {
        const Number expected = cases[i].expected(outcome.a[k], outcome.b[k]);
        const Number actual = outcome.results[i][k];
        ASSERT_TRUE(same(expected, actual))
            << profile << " " << type << " " << cases[i].operation << " of " << outcome.a[k]
            << " and " << outcome.b[k] << ": " << actual << ", not " << expected;
      }
  }
}

std::vector<Case> comparison_cases() {
  return {
      {"kernel.compare %a, %b {predicate = eq}", "bool", [](auto a, auto b) { return a == b; }},
      {"kernel.compare %a, %b {predicate = ne}", "bool", [](auto a, auto b) { return a != b; }},
      {"kernel.compare %a, %b {predicate = lt}", "bool", [](auto a, auto b) { return a < b; }},
      {"kernel.compare %a, %b {predicate = le}", "bool", [](auto a, auto b) { return a <= b; }},
      {"kernel.compare %a, %b {predicate = gt}", "bool", [](auto a, auto b) { return a > b; }},
      {"kernel.compare %a, %b {predicate = ge}", "bool", [](auto a, auto b) { return a >= b; }}};
}

// --- integers -------------------------------------------------------------------------------

/// Exact product modulo 2^64, which a Number cannot hold.
Number product(Number a, Number b, ElementType type) {
  const std::uint64_t bits = encode(a, ElementType::i64) * encode(b, ElementType::i64);
  return wrapped(static_cast<Number>(bits), type);
}

Number quotient(Number a, Number b, ElementType type) {
  return b == 0 ? 0 : wrapped(std::trunc(a / b), type);
}

Number shifted(Number a, Number n, ElementType type, bool left) {
  const std::uint64_t amount = encode(n, type) & (~std::uint64_t{0} >> (64 - bit_width(type)));
  if (amount >= static_cast<std::uint64_t>(bit_width(type))) return left || a >= 0 ? 0 : -1;
  if (!left) return std::floor(std::ldexp(a, -static_cast<int>(amount)));
  return wrapped(static_cast<Number>(encode(a, ElementType::i64) << amount), type);
}

template <class F>
std::function<Number(Number, Number)> on_bits(ElementType type, const F& function) {
  return [type, function](Number a, Number b) {
    return wrapped(static_cast<Number>(function(encode(a, type), encode(b, type))), type);
  };
}

class IntegerExecution : public ::testing::TestWithParam<const char*> {};

TEST_P(IntegerExecution, ArithmeticIsExactAndTotal) {
  const ElementType t = type_of(GetParam());
  std::vector<Case> cases{
      {"kernel.add %a, %b", "", on_bits(t, std::plus<std::uint64_t>())},
      {"kernel.sub %a, %b", "", on_bits(t, std::minus<std::uint64_t>())},
      {"kernel.mul %a, %b", "", [t](Number a, Number b) { return product(a, b, t); }},
      {"kernel.div %a, %b", "", [t](Number a, Number b) { return quotient(a, b, t); }},
      {"kernel.rem %a, %b", "",
       [](Number a, Number b) { return b == 0 ? a : std::fmod(a, b) + Number{0}; }},
      {"kernel.min %a, %b", "", [](Number a, Number b) { return std::min(a, b); }},
      {"kernel.max %a, %b", "", [](Number a, Number b) { return std::max(a, b); }},
      {"kernel.neg %a", "", [t](Number a, Number) { return wrapped(0 - a, t); }},
      {"kernel.abs %a", "", [t](Number a, Number) { return wrapped(std::fabs(a), t); }},
      {"kernel.and %a, %b", "", on_bits(t, std::bit_and<std::uint64_t>())},
      {"kernel.or %a, %b", "", on_bits(t, std::bit_or<std::uint64_t>())},
      {"kernel.xor %a, %b", "", on_bits(t, std::bit_xor<std::uint64_t>())},
      {"kernel.not %a", "", on_bits(t, [](std::uint64_t a, std::uint64_t) { return ~a; })},
      {"kernel.shl %a, %b", "", [t](Number a, Number b) { return shifted(a, b, t, true); }},
      {"kernel.shr %a, %b", "", [t](Number a, Number b) { return shifted(a, b, t, false); }}};
  const std::vector<Case> comparisons = comparison_cases();
  cases.insert(cases.end(), comparisons.begin(), comparisons.end());
  for (Case& one : cases) {  // a Number has a -0, an integer has none
    one.expected = [inner = one.expected](Number a, Number b) { return inner(a, b) + Number{0}; };
  }
  expect_cases(GetParam(), corners(t), cases);
}

TEST_P(IntegerExecution, IndexDivisionAndConstantDivisors) {
  const ElementType t = type_of(GetParam());
  expect_cases(
      GetParam(), {1, 2, 3, 7, 100, largest(t)},
      {{"kernel.div %a, %b {index = true}", "",
        [t](Number a, Number b) { return quotient(a, b, t); }},
       {"kernel.rem %a, %b {index = true}", "", [](Number a, Number b) { return std::fmod(a, b); }},
       {"kernel.constant {value = 7}", "", [](Number, Number) { return 7; }},
       {"kernel.div %a, %r2", "", [](Number a, Number) { return std::trunc(a / 7); }},
       {"kernel.rem %a, %r2", "", [](Number a, Number) { return std::fmod(a, Number{7}); }}});
}

INSTANTIATE_TEST_SUITE_P(Ptx, IntegerExecution,
                         ::testing::Values("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"));

// --- floats ---------------------------------------------------------------------------------

Number extremum(Number a, Number b, bool minimum) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<Number>::quiet_NaN();
  if (a == b) return std::signbit(a) == minimum ? a : b;
  return (a < b) == minimum ? a : b;
}

class FloatExecution : public ::testing::TestWithParam<std::tuple<const char*, bool>> {};

TEST_P(FloatExecution, OperationsRoundOnce) {
  const auto& [name, exact] = GetParam();
  const bool is_single = type_of(name) == ElementType::f32;
  // In the type's own arithmetic, which rounds once on the host.
  const auto in_type = [is_single](auto function) {
    return [is_single, function](Number a, Number b) -> Number {
      if (is_single) return function(static_cast<float>(a), static_cast<float>(b));
      return function(static_cast<double>(a), static_cast<double>(b));
    };
  };
  std::vector<Case> cases{
      {"kernel.add %a, %b", "", in_type([](auto a, auto b) { return a + b; })},
      {"kernel.sub %a, %b", "", in_type([](auto a, auto b) { return a - b; })},
      {"kernel.mul %a, %b", "", in_type([](auto a, auto b) { return a * b; })},
      {"kernel.div %a, %b", "", in_type([](auto a, auto b) { return a / b; })},
      {"kernel.rem %a, %b", "", in_type([](auto a, auto b) { return std::fmod(a, b); })},
      {"kernel.min %a, %b", "", [](Number a, Number b) { return extremum(a, b, true); }},
      {"kernel.max %a, %b", "", [](Number a, Number b) { return extremum(a, b, false); }},
      {"kernel.neg %a", "", [](Number a, Number) { return -a; }},
      {"kernel.abs %a", "", [](Number a, Number) { return std::fabs(a); }},
      {"kernel.sqrt %a", "", in_type([](auto a, auto) { return std::sqrt(a); })},
      {"kernel.floor %a", "", [](Number a, Number) { return std::floor(a); }},
      {"kernel.ceil %a", "", [](Number a, Number) { return std::ceil(a); }},
      {"kernel.round %a", "", [](Number a, Number) { return std::nearbyint(a); }},
      {"kernel.trunc %a", "", [](Number a, Number) { return std::trunc(a); }}};
  if (!exact)
    cases.push_back(
        {"kernel.fma %a, %b, %a", "", in_type([](auto a, auto b) { return std::fma(a, b, a); })});
  const std::vector<Case> comparisons = comparison_cases();
  cases.insert(cases.end(), comparisons.begin(), comparisons.end());
  expect_cases(name, corners(type_of(name)), cases, {.exact = exact});
}

INSTANTIATE_TEST_SUITE_P(Ptx, FloatExecution,
                         ::testing::Combine(::testing::Values("f32", "f64"), ::testing::Bool()));

/// Distance of f32 results in units of the last place of the expected one.
Number ulps(Number expected, Number actual) {
  if (same(expected, actual)) return 0;
  if (!std::isfinite(expected) || !std::isfinite(actual))
    return std::numeric_limits<Number>::infinity();
  int exponent = 0;
  std::frexp(expected, &exponent);
  return std::fabs(expected - actual) / std::ldexp(Number{1}, std::max(exponent - 24, -149));
}

TEST(PtxExecution, FunctionsAreWithinTheirBounds) {
  Numbers values{0.0L,  -0.0L, 1e-30L, -1e-30L, 0.5L, 0.9999L, 1.0001L, 2,     88.5L,
                 88.8L, -87,   -90,    -103,    -104, -110,    1e30L,   -1e30L};
  for (int i = -400; i < 400; ++i) values.push_back(i * 0.2137L);
  const Number infinity = std::numeric_limits<Number>::infinity();
  values.insert(values.end(), {infinity, -infinity, std::numeric_limits<Number>::quiet_NaN()});
  for (Number& value : values) value = rounded(value, ElementType::f32);
  for (const bool exact : {false, true}) {
    Applications kernel("f32");
    for (const char* name : {"exp", "log", "tanh", "erf"})
      kernel.apply(fmt::format("kernel.{} %a", name));
    const Outcome outcome =
        apply(kernel, ElementType::f32, {values, values, {}}, "sm_80", {.exact = exact});
    for (std::size_t k = 0; k < outcome.a.size(); ++k) {
      const auto x = static_cast<double>(outcome.a[k]);
      SCOPED_TRACE(x);
      EXPECT_LE(ulps(rounded(std::exp(outcome.a[k]), ElementType::f32), outcome.results[0][k]), 3);
      const Number log = std::log(outcome.a[k]);
      EXPECT_TRUE(ulps(rounded(log, ElementType::f32), outcome.results[1][k]) <= 3 ||
                  std::fabs(log - outcome.results[1][k]) <= std::ldexp(1.0L, -21));
      EXPECT_LE(ulps(rounded(std::tanh(outcome.a[k]), ElementType::f32), outcome.results[2][k]),
                16);
      EXPECT_LE(ulps(rounded(std::erf(outcome.a[k]), ElementType::f32), outcome.results[3][k]), 16);
    }
  }
}

// --- bool and casts -------------------------------------------------------------------------

TEST(PtxExecution, BooleansFollowTheirTables) {
  expect_cases(
      "bool", corners(ElementType::boolean),
      {{"kernel.and %a, %b", "", [](Number a, Number b) { return a * b; }},
       {"kernel.or %a, %b", "", [](Number a, Number b) { return std::max(a, b); }},
       {"kernel.xor %a, %b", "", [](Number a, Number b) { return a != b; }},
       {"kernel.not %a", "", [](Number a, Number) { return 1 - a; }},
       {"kernel.compare %a, %b {predicate = eq}", "", [](Number a, Number b) { return a == b; }},
       {"kernel.compare %a, %b {predicate = ne}", "", [](Number a, Number b) { return a != b; }},
       {"kernel.select %a, %b, %a", "", [](Number a, Number b) { return a != 0 ? b : a; }},
       {"kernel.select %b, %r3, %b", "", [](Number a, Number b) { return b != 0 ? 1 - a : b; }}});
}

Number cast_number(Number value, ElementType from, ElementType to) {
  if (to == ElementType::boolean) return value != 0;
  if (is_float(to)) return rounded(value, to);
  if (!is_float(from)) return wrapped(value, to) + Number{0};
  if (std::isnan(value)) return 0;
  return std::min(std::max(std::trunc(value), smallest(to)), largest(to)) + Number{0};
}

class CastExecution : public ::testing::TestWithParam<const char*> {};

TEST_P(CastExecution, EveryTargetType) {
  const ElementType from = type_of(GetParam());
  std::vector<Case> cases;
  for (const char* to : test::all_types)
    cases.push_back({"kernel.cast %a", to, [from, type = type_of(to)](Number a, Number) {
                       return cast_number(a, from, type);
                     }});
  Numbers values = corners(from);
  if (is_float(from))  // halves of the last place of bfloat16 and half, and the integers' ends
    for (const Number value : {1.00390625L, 1.01171875L, 1.0039063L, 1.00048828125L, 2147483647.0L,
                               -2147483648.0L, 4294967296.0L, 9.3e18L, 1.9e19L, 3.395e38L, 1e300L})
      values.push_back(rounded(value, from));
  expect_cases(GetParam(), values, cases);
}

TEST_P(CastExecution, Select) {
  const Numbers values = corners(type_of(GetParam()));
  expect_cases(
      GetParam(), {values.front(), values.back()},
      {{"kernel.cast %a", "bool", [](Number a, Number) { return a != 0; }},
       {"kernel.select %r0, %a, %b", "", [](Number a, Number b) { return a != 0 ? a : b; }}});
}

INSTANTIATE_TEST_SUITE_P(Ptx, CastExecution, ::testing::ValuesIn(test::all_types));

TEST(PtxExecution, BitcastsKeepTheBits) {
  const std::vector<std::vector<std::string>> groups{
      {"i8", "u8"}, {"i16", "u16"}, {"i32", "u32", "f32"}, {"i64", "u64", "f64"}};
  for (const auto& group : groups)
    for (const std::string& from : group) {
      std::vector<Case> cases;
      for (const std::string& to : group)
        cases.push_back({"kernel.bitcast %a", to, [=](Number a, Number) {
                           const std::uint64_t mask =
                               ~std::uint64_t{0} >> (64 - bit_width(type_of(from)));
                           return decode(encode(a, type_of(from)) & mask, type_of(to));
                         }});
      expect_cases(from, corners(type_of(from)), cases);
    }
}

// --- memory ---------------------------------------------------------------------------------

class MoveExecution : public ::testing::TestWithParam<const char*> {};

TEST_P(MoveExecution, EveryWidth) {
  const ElementType type = type_of(GetParam());
  for (const int width : test::access_widths(GetParam())) {
    SCOPED_TRACE(width);
    const auto w = static_cast<std::size_t>(width);
    Numbers numbers;
    for (std::size_t i = 0; i < 65 * w; ++i)
      numbers.push_back(
          cast_number(static_cast<Number>(i * 37 % 251) - 100, ElementType::i32, type));
    std::vector<std::byte> in = encode_all(numbers, type);
    std::vector<std::byte> out(128 * w * static_cast<std::size_t>(size_bytes(type)));
    std::vector<std::byte> both = in;
    execute(test::move_kernel(GetParam(), width), "sm_80", {&in, &out, &both}, 1);
    const Numbers moved = decode_all(out, type);
    const Numbers shifted_numbers = decode_all(both, type);
    for (std::size_t i = 0; i < 64 * w; ++i) {
      EXPECT_EQ(moved[i], numbers[i + w]);
      EXPECT_EQ(shifted_numbers[i], numbers[i + w]);
      if (width > 1) {
        EXPECT_EQ(moved[64 * w + i], numbers[w + i / w * w + (w - 1 - i % w)]);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ptx, MoveExecution, ::testing::ValuesIn(test::all_types));

/// Indices whose constant part goes into the address: sums and products with constants, also where
/// the variable part alone is negative, in device and workgroup memory.
TEST(PtxExecution, IndicesAreWhatTheySay) {
  std::string body = "  %block = kernel.shared : shared<i32, 1024>\n"
                     "  %l = kernel.local_id {axis = 0} : i32\n"
                     "  %zero = kernel.constant {value = 0} : i32\n";
  for (const int value : {2, 3, 5, 40, 45, 64})
    body += fmt::format("  %c{0} = kernel.constant {{value = {0}}} : i32\n", value);
  for (int i = 0; i < 16; ++i)  // the block holds its own indices
    body += fmt::format(
        "  %o{0} = kernel.constant {{value = {1}}} : i32\n  %s{0} = kernel.add %l, %o{0} : i32\n"
        "  kernel.store %s{0}, %block, %s{0}\n",
        i, 64 * i);
  body += "  kernel.barrier\n"
          "  %a = kernel.add %l, %c3 : i32\n"
          "  %b = kernel.mul %a, %c5 : i32\n"
          "  %c = kernel.add %b, %l : i32\n"
          "  %d = kernel.add %c2, %c : i32\n"
          "  %e = kernel.sub %l, %c40 : i32\n"
          "  %f = kernel.add %e, %c45 : i32\n"
          "  %g = kernel.add %f, %a : i32\n"
          "  %w = kernel.cast %g : i64\n";
  int row = 0;
  for (const char* index : {"a", "b", "c", "d", "f", "g", "w", "c45"})
    for (const char* memory : {"in", "block"}) {
      body +=
          fmt::format("  %x{0} = kernel.load %{1}, %{2} : i32\n  %r{0} = kernel.constant {{value = "
                      "{3}}} : i32\n"
                      "  %p{0} = kernel.add %r{0}, %l : i32\n  kernel.store %x{0}, %out, %p{0}\n",
                      row, memory, index, 64 * row);
      ++row;
    }
  const std::string text = test::kernel_program(
      "%in: buffer<i32, read, address>, %out: buffer<i32, write, address>", body);
  Numbers numbers(1024);
  std::iota(numbers.begin(), numbers.end(), Number{0});
  std::vector<std::byte> in = encode_all(numbers, ElementType::i32);
  std::vector<std::byte> out(static_cast<std::size_t>(row) * 64 * 4);
  execute(text, "sm_80", {&in, &out}, 1);
  const Numbers values = decode_all(out, ElementType::i32);
  for (std::size_t l = 0; l < 64; ++l) {
    const Number x = static_cast<Number>(l);
    const Numbers expected{x + 3, (x + 3) * 5, 6 * x + 15, 6 * x + 17,
                           x + 5, 2 * x + 8,   2 * x + 8,  45};
    for (std::size_t i = 0; i < static_cast<std::size_t>(row); ++i)
      EXPECT_EQ(values[64 * i + l], expected[i / 2]) << i;
  }
}

// --- control --------------------------------------------------------------------------------

std::vector<std::byte> scalar_i32(std::initializer_list<std::int32_t> values) {
  std::vector<std::byte> bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

/// Fibonacci by swapping carried values, and the sum of the indices.
TEST(PtxExecution, LoopsCarryValuesAndEndAtTheirBound) {
  const std::string text = test::kernel_program(
      "%out: buffer<i32, write, address>, %lower: i32, %upper: i32, %step: i32",
      "  %zero = kernel.constant {value = 0} : i32\n"
      "  %one = kernel.constant {value = 1} : i32\n"
      "  %x, %y, %s, %n = kernel.for %lower, %upper, %step, %zero, %one, %zero, %zero : i32, i32, "
      "i32, i32 (%i: i32, %a: i32, %b: i32, %t: i32, %k: i32) {\n"
      "    %c = kernel.add %a, %b : i32\n"
      "    %u = kernel.add %t, %i : i32\n"
      "    %m = kernel.add %k, %one : i32\n"
      "    kernel.yield %b, %c, %u, %m\n"
      "  }\n"
      "  %two = kernel.constant {value = 2} : i32\n"
      "  kernel.store %x, %out, %zero\n"
      "  kernel.store %s, %out, %one\n"
      "  kernel.store %n, %out, %two\n",
      {.workgroup = "[1, 1, 1]"});
  const auto run = [&](std::int32_t lower, std::int32_t upper, std::int32_t step) {
    std::vector<std::byte> out(12);
    execute(text, "sm_80", {&out}, 1, scalar_i32({lower, upper, step}));
    return decode_all(out, ElementType::i32);
  };
  EXPECT_EQ(run(0, 10, 1), (Numbers{55, 45, 10}));
  EXPECT_EQ(run(0, 10, 3), (Numbers{3, 18, 4}));
  EXPECT_EQ(run(5, 5, 1), (Numbers{0, 0, 0}));
  EXPECT_EQ(run(6, 5, 1), (Numbers{0, 0, 0}));
  EXPECT_EQ(run(-3, 2, 2), (Numbers{2, -3, 3}));
  // The index would pass the end of i32 after the third trip.
  EXPECT_EQ(run(2147483640, 2147483647, 3), (Numbers{2, 2147483633, 3}));
}

TEST(PtxExecution, BranchesGiveTheirValues) {
  const std::string text =
      test::kernel_program("%out: buffer<i32, write, address>",
                           "  %i = kernel.local_id {axis = 0} : i32\n"
                           "  %ten = kernel.constant {value = 10} : i32\n"
                           "  %less = kernel.compare %i, %ten {predicate = lt} : bool\n"
                           "  %a, %b = kernel.if %less : i32, i32 () {\n"
                           "    kernel.yield %i, %ten\n"
                           "  } () {\n"
                           "    %double = kernel.add %i, %i : i32\n"
                           "    kernel.yield %ten, %double\n"
                           "  }\n"
                           "  %s = kernel.sub %a, %b : i32\n"
                           "  kernel.if %less () {\n"
                           "    kernel.yield\n"
                           "  } () {\n"
                           "    kernel.store %s, %out, %i\n"
                           "    kernel.yield\n"
                           "  }\n");
  std::vector<std::byte> out(64 * 4);
  execute(text, "sm_80", {&out}, 1);
  const Numbers values = decode_all(out, ElementType::i32);
  for (std::size_t i = 0; i < 64; ++i)
    EXPECT_EQ(values[i], i < 10 ? 0 : 10 - 2 * static_cast<Number>(i));
}

TEST(PtxExecution, ScalarsComeFromTheArgumentBlock) {
  // Offsets by docs/kernel-programs.md: u8 at 8, i64 at 16, bool at 24, i16 at 28, f64 at 32.
  const std::string text = test::kernel_program(
      "%out: buffer<f64, write, address>, %a: u8, %b: i64, %c: bool, %d: i16, %e: f64",
      "  %zero = kernel.constant {value = 0} : i32\n"
      "  %x = kernel.cast %a : f64\n"
      "  %y = kernel.cast %b : f64\n"
      "  %z = kernel.cast %c : f64\n"
      "  %w = kernel.cast %d : f64\n"
      "  %xy = kernel.add %x, %y : f64\n"
      "  %zw = kernel.sub %w, %z : f64\n"
      "  %p = kernel.mul %xy, %e : f64\n"
      "  %q = kernel.add %p, %zw : f64\n"
      "  kernel.store %q, %out, %zero\n",
      {.workgroup = "[1, 1, 1]"});
  std::vector<std::byte> scalars(32);
  const auto put = [&](std::size_t offset, auto value) {
    std::memcpy(scalars.data() + offset - 8, &value, sizeof value);
  };
  put(8, std::uint8_t{200});
  put(16, std::int64_t{-5});
  put(24, std::uint32_t{1});
  put(28, std::int16_t{-300});
  put(32, 0.5);
  std::vector<std::byte> out(8);
  execute(text, "sm_75", {&out}, 1, scalars);
  EXPECT_EQ(decode_all(out, ElementType::f64).front(), (200 - 5) * 0.5L - 300 - 1);
}

// --- subgroup -------------------------------------------------------------------------------

TEST(PtxExecution, SubgroupOperationsSpanTheWarp) {
  for (const std::string type : {"i32", "u32", "f32"})
    for (const char* profile : {"sm_75", "sm_80"}) {
      SCOPED_TRACE(type + profile);
      Applications kernel(type);
      for (const char* name : {"add", "min", "max"})
        kernel.apply(fmt::format("kernel.subgroup_reduce %a {{function = {}}}", name));
      kernel.apply("kernel.shuffle_xor %a {mask = 5}").apply("kernel.lane", "i32");
      Numbers values;
      for (int i = 0; i < 8; ++i) values.push_back(i * i + 3);
      const Outcome outcome =
          apply(kernel, type_of(type), all_pairs(values), profile, {.subgroup = 32});
      for (std::size_t k = 0; k < outcome.a.size(); ++k) {
        const auto first = outcome.a.begin() + static_cast<std::ptrdiff_t>(k / 32 * 32);
        EXPECT_EQ(outcome.results[0][k], std::accumulate(first, first + 32, Number{0}));
        EXPECT_EQ(outcome.results[1][k], *std::min_element(first, first + 32));
        EXPECT_EQ(outcome.results[2][k], *std::max_element(first, first + 32));
        EXPECT_EQ(outcome.results[3][k], outcome.a[k ^ 5]);
        EXPECT_EQ(outcome.results[4][k], k % 32);
      }
    }
}

}  // namespace
}  // namespace accy::cuda
