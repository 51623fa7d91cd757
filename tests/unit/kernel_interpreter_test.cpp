// The kernel interpreter: every operation at the corners of its semantics, control flow, and each
// check of what a program must not do.
#include <bit>
#include <chrono>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "choir/text.hpp"
#include "dialect/kernel/kernel_builder.hpp"
#include "evaluate/kernel_interpreter.hpp"

namespace accy::evaluate {
namespace {

using ::testing::HasSubstr;

template <class T>
constexpr const char* name_of();
#define ACCY_NAME(type, text)             \
  template <>                             \
  constexpr const char* name_of<type>() { \
    return text;                          \
  }
ACCY_NAME(std::int8_t, "i8")
ACCY_NAME(std::int16_t, "i16")
ACCY_NAME(std::int32_t, "i32")
ACCY_NAME(std::int64_t, "i64")
ACCY_NAME(std::uint8_t, "u8")
ACCY_NAME(std::uint16_t, "u16")
ACCY_NAME(std::uint32_t, "u32")
ACCY_NAME(std::uint64_t, "u64")
ACCY_NAME(float, "f32")
ACCY_NAME(double, "f64")
#undef ACCY_NAME

constexpr float nan_f = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity_f = std::numeric_limits<float>::infinity();
constexpr std::int32_t min_i32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t max_i32 = std::numeric_limits<std::int32_t>::max();

const choir::Registry& registry() {
  static const choir::Registry instance = [] {
    choir::Registry made;
    kernel::register_kernel_dialect(made);
    return made;
  }();
  return instance;
}

KernelProgram decode(const std::string& text) {
  auto module = choir::parse_and_verify("choir kernel v1\n" + text, "test.choir", registry());
  EXPECT_TRUE(module.has_value()) << text << module.error().to_string();
  auto program = KernelProgram::decode(*module->body().front());
  EXPECT_TRUE(program.has_value());
  return std::move(*program);
}

template <class T>
KernelArgument buffer(std::vector<T>& values) {
  return KernelArgument::buffer(std::as_writable_bytes(std::span(values)));
}

/// Runs `operation`, a line from %a, %b, %c to %r, on one invocation for each element.
template <class Out, class In>
std::vector<Out> apply(const std::string& operation, std::vector<In> a, std::vector<In> b = {},
                       std::vector<In> c = {}, const std::string& in_name = name_of<In>(),
                       const std::string& out_name = name_of<Out>()) {
  b.resize(a.size());
  c.resize(a.size());
  std::vector<Out> result(a.size());
  const std::string in = "buffer<" + in_name + ", read, address>";
  const std::string text = "kernel.func @f {exact = false, subgroup = 0, workgroup = [" +
                           std::to_string(a.size()) + ", 1, 1]} (%pa: " + in + ", %pb: " + in +
                           ", %pc: " + in + ", %out: buffer<" + out_name +
                           ", write, address>) {\n  %i = kernel.local_id {axis = 0} : i32\n  %a = "
                           "kernel.load %pa, %i : " +
                           in_name + "\n  %b = kernel.load %pb, %i : " + in_name +
                           "\n  %c = kernel.load %pc, %i : " + in_name + "\n  " + operation +
                           "\n  kernel.store %r, %out, %i\n  kernel.return\n}\n";
  const std::array arguments{buffer(a), buffer(b), buffer(c), buffer(result)};
  const Status status = decode(text).run({1, 1, 1}, arguments);
  EXPECT_TRUE(status.has_value()) << status.error().to_string();
  return result;
}

template <class T>
std::vector<T> binary(const std::string& name, std::vector<T> a, std::vector<T> b,
                      const std::string& attributes = "") {
  return apply<T>("%r = kernel." + name + " %a, %b " + attributes + " : " + name_of<T>(),
                  std::move(a), std::move(b));
}

template <class T>
std::vector<T> unary(const std::string& name, std::vector<T> a) {
  return apply<T>("%r = kernel." + name + " %a : " + name_of<T>(), std::move(a));
}

template <class Out, class In>
std::vector<Out> cast(std::vector<In> a, const std::string& from = name_of<In>(),
                      const std::string& to = name_of<Out>()) {
  return apply<Out, In>("%r = kernel.cast %a : " + to, std::move(a), {}, {}, from, to);
}

std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> list;
  for (const float value : values) list.push_back(std::bit_cast<std::uint32_t>(value));
  return list;
}

using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;

TEST(KernelInterpreter, IntegersWrap) {
  EXPECT_EQ(binary<std::int32_t>("add", {max_i32, -1}, {1, -1}), (Ints{min_i32, -2}));
  EXPECT_EQ(binary<std::int32_t>("sub", {min_i32, 3}, {1, 5}), (Ints{max_i32, -2}));
  EXPECT_EQ(binary<std::int32_t>("mul", {65536, min_i32}, {65536, -1}), (Ints{0, min_i32}));
  EXPECT_EQ(binary<std::uint16_t>("mul", {65535}, {65535}), (std::vector<std::uint16_t>{1}));
  EXPECT_EQ(binary<std::int8_t>("add", {127, -128}, {1, -1}),
            (std::vector<std::int8_t>{-128, 127}));
  EXPECT_EQ(binary<std::uint64_t>("sub", {0}, {1}), (std::vector<std::uint64_t>{~0ULL}));
  EXPECT_EQ(unary<std::int32_t>("neg", {min_i32, 5}), (Ints{min_i32, -5}));
  EXPECT_EQ(unary<std::int32_t>("abs", {min_i32, -5, 5}), (Ints{min_i32, 5, 5}));
  EXPECT_EQ(unary<std::uint8_t>("neg", {1}), (std::vector<std::uint8_t>{255}));
}

TEST(KernelInterpreter, IntegerDivisionHasNoUndefinedCase) {
  EXPECT_EQ(binary<std::int32_t>("div", {7, -7, 7, 5, min_i32, 0}, {2, 2, -2, 0, -1, 0}),
            (Ints{3, -3, -3, 0, min_i32, 0}));
  EXPECT_EQ(binary<std::int32_t>("rem", {7, -7, 7, 5, min_i32, -9}, {2, 2, -2, 0, -1, -1}),
            (Ints{1, -1, 1, 5, min_i32, 0}));
  EXPECT_EQ(binary<std::uint8_t>("div", {200, 200}, {7, 0}), (std::vector<std::uint8_t>{28, 0}));
  EXPECT_EQ(binary<std::uint8_t>("rem", {200, 200}, {7, 0}), (std::vector<std::uint8_t>{4, 200}));
  EXPECT_EQ(binary<std::int8_t>("div", {-128}, {-1}), (std::vector<std::int8_t>{-128}));
  EXPECT_EQ(binary<std::int32_t>("div", {9, 7}, {2, 7}, "{index = true}"), (Ints{4, 1}));
  EXPECT_EQ(binary<std::int32_t>("rem", {9, 7}, {2, 7}, "{index = true}"), (Ints{1, 0}));
}

TEST(KernelInterpreter, FloatsRoundToNearestEven) {
  // 2^24 + 1 ties to 2^24; 2^24 + 3 ties to 2^24 + 4.
  EXPECT_EQ(binary<float>("add", {16777216, 16777218, nan_f}, {1, 1, 1})[0], 16777216.0F);
  EXPECT_EQ(binary<float>("add", {16777218}, {1})[0], 16777220.0F);
  EXPECT_EQ(bits(binary<float>("mul", {0x1p-126F, -0.0F}, {0.5F, 3}))[0], 0x00400000U);
  EXPECT_EQ(bits(binary<float>("mul", {-0.0F}, {3}))[0], 0x80000000U);
  EXPECT_EQ(bits(binary<float>("div", {1, 1, -1}, {3, 0, 0})),
            (std::vector<std::uint32_t>{0x3eaaaaab, 0x7f800000, 0xff800000}));
  EXPECT_EQ(binary<float>("rem", {5.5F, -5.5F, 5.5F}, {2, 2, -2}), (Floats{1.5F, -1.5F, 1.5F}));
  EXPECT_TRUE(std::isnan(binary<float>("rem", {1}, {0})[0]));
  EXPECT_EQ(binary<double>("sub", {1.0}, {0x1p-60})[0], 1.0);
  EXPECT_EQ(bits(unary<float>("neg", {0.0F, -2, infinity_f})),
            (std::vector<std::uint32_t>{0x80000000, 0x40000000, 0xff800000}));
  EXPECT_EQ(bits(unary<float>("abs", {-0.0F, -2})), (std::vector<std::uint32_t>{0, 0x40000000}));
  EXPECT_EQ(unary<float>("sqrt", {2, 4})[0], 1.41421356F);
  EXPECT_EQ(unary<float>("floor", {-1.5F, 1.5F}), (Floats{-2, 1}));
  EXPECT_EQ(unary<float>("ceil", {-1.5F, 1.5F}), (Floats{-1, 2}));
  // (1 + 2^-12)^2 - 1 = 2^-11 + 2^-24: a product rounded first would lose the last bit.
  const float near_one = 1 + 0x1p-12F;
  EXPECT_EQ(apply<float>("%r = kernel.fma %a, %b, %c : f32", Floats{near_one}, Floats{near_one},
                         Floats{-1})[0],
            0x1p-11F + 0x1p-24F);
}

TEST(KernelInterpreter, MinimumAndMaximumKeepNanAndOrderZeros) {
  const Floats a{1, nan_f, 1, 0.0F, -0.0F, -infinity_f};
  const Floats b{2, 1, nan_f, -0.0F, 0.0F, 3};
  const Floats low = binary<float>("min", a, b);
  const Floats high = binary<float>("max", a, b);
  EXPECT_EQ(low[0], 1);
  EXPECT_EQ(high[0], 2);
  for (const std::size_t index : {1, 2}) {
    EXPECT_TRUE(std::isnan(low[index]));
    EXPECT_TRUE(std::isnan(high[index]));
  }
  for (const std::size_t index : {3, 4}) {
    EXPECT_EQ(bits(low)[index], 0x80000000U);
    EXPECT_EQ(bits(high)[index], 0U);
  }
  EXPECT_EQ(low[5], -infinity_f);
  EXPECT_EQ(binary<std::int32_t>("min", {min_i32, 4}, {3, -4}), (Ints{min_i32, -4}));
  EXPECT_EQ(binary<std::uint32_t>("max", {0xffffffff}, {1})[0], 0xffffffffU);
}

TEST(KernelInterpreter, BitOperations) {
  using Bytes = std::vector<std::uint8_t>;
  EXPECT_EQ(binary<std::uint8_t>("and", {0xf0}, {0x3c}), Bytes{0x30});
  EXPECT_EQ(binary<std::uint8_t>("or", {0xf0}, {0x3c}), Bytes{0xfc});
  EXPECT_EQ(binary<std::uint8_t>("xor", {0xf0}, {0x3c}), Bytes{0xcc});
  EXPECT_EQ(unary<std::uint8_t>("not", {0xf0}), Bytes{0x0f});
  EXPECT_EQ(binary<std::int32_t>("shl", {1, 1, 1, 3}, {31, 32, -1, 1}), (Ints{min_i32, 0, 0, 6}));
  EXPECT_EQ(binary<std::int32_t>("shr", {-8, -8, 8, -1}, {1, 99, 99, -1}), (Ints{-4, -1, 0, -1}));
  EXPECT_EQ(binary<std::uint32_t>("shr", {0x80000000, 0x80000000}, {31, 32}),
            (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(binary<std::uint8_t>("shl", {0x81}, {1}), Bytes{2});
  const auto logic = [](const std::string& name, Bytes a, Bytes b) {
    return apply<std::uint8_t, std::uint8_t>("%r = kernel." + name + " : bool", std::move(a),
                                             std::move(b), {}, "bool", "bool");
  };
  EXPECT_EQ(logic("and %a, %b", {0, 0, 1, 1}, {0, 1, 0, 1}), (Bytes{0, 0, 0, 1}));
  EXPECT_EQ(logic("or %a, %b", {0, 0, 1, 1}, {0, 1, 0, 1}), (Bytes{0, 1, 1, 1}));
  EXPECT_EQ(logic("xor %a, %b", {0, 0, 1, 1}, {0, 1, 0, 1}), (Bytes{0, 1, 1, 0}));
  EXPECT_EQ(logic("not %a", {0, 1}, {}), (Bytes{1, 0}));
  EXPECT_EQ(logic("compare %a, %b {predicate = ne}", {0, 1}, {1, 1}), (Bytes{1, 0}));
}

TEST(KernelInterpreter, ComparisonAndSelection) {
  const auto compare = [](const std::string& predicate, Floats a, Floats b) {
    return apply<std::uint8_t, float>("%r = kernel.compare %a, %b {predicate = " + predicate +
                                          "} : bool",
                                      std::move(a), std::move(b), {}, "f32", "bool");
  };
  using Bytes = std::vector<std::uint8_t>;
  const Floats a{1, 2, 2, nan_f, -0.0F};
  const Floats b{2, 1, 2, 1, 0.0F};
  EXPECT_EQ(compare("eq", a, b), (Bytes{0, 0, 1, 0, 1}));
  EXPECT_EQ(compare("ne", a, b), (Bytes{1, 1, 0, 1, 0}));
  EXPECT_EQ(compare("lt", a, b), (Bytes{1, 0, 0, 0, 0}));
  EXPECT_EQ(compare("le", a, b), (Bytes{1, 0, 1, 0, 1}));
  EXPECT_EQ(compare("gt", a, b), (Bytes{0, 1, 0, 0, 0}));
  EXPECT_EQ(compare("ge", a, b), (Bytes{0, 1, 1, 0, 1}));
  EXPECT_EQ((apply<std::int32_t>("%l = kernel.compare %a, %b {predicate = lt} : bool\n"
                                 "  %r = kernel.select %l, %a, %c : i32",
                                 Ints{-5, 9}, Ints{3, 3}, Ints{70, 80})),
            (Ints{-5, 80}));
  // Unsigned order: -1 is the largest.
  EXPECT_EQ(
      (apply<std::uint8_t, std::uint32_t>("%r = kernel.compare %a, %b {predicate = lt} : bool",
                                          {0xffffffff}, {1}, {}, "u32", "bool")),
      Bytes{0});
}

TEST(KernelInterpreter, MathFunctions) {
  EXPECT_FLOAT_EQ(unary<float>("exp", {1})[0], 2.7182818284F);
  EXPECT_FLOAT_EQ(unary<float>("log", {10})[0], 2.3025850930F);
  EXPECT_FLOAT_EQ(unary<float>("tanh", {0.5F})[0], 0.4621171573F);
  EXPECT_FLOAT_EQ(unary<float>("erf", {0.5F})[0], 0.5204998778F);
  EXPECT_DOUBLE_EQ(unary<double>("exp", {1})[0], 2.718281828459045);
  EXPECT_EQ(unary<float>("exp", {-infinity_f, 1000})[0], 0.0F);
  EXPECT_EQ(unary<float>("exp", {1000})[0], infinity_f);
  EXPECT_EQ(unary<float>("log", {0})[0], -infinity_f);
  EXPECT_TRUE(std::isnan(unary<float>("log", {-1})[0]));
  EXPECT_TRUE(std::isnan(unary<float>("sqrt", {-1})[0]));
}

TEST(KernelInterpreter, CastsBetweenIntegers) {
  EXPECT_EQ((cast<std::int8_t>(Ints{128, -129, 5})), (std::vector<std::int8_t>{-128, 127, 5}));
  EXPECT_EQ((cast<std::int64_t>(Ints{-1})), (std::vector<std::int64_t>{-1}));
  EXPECT_EQ((cast<std::uint64_t>(Ints{-1})), (std::vector<std::uint64_t>{~0ULL}));
  EXPECT_EQ((cast<std::int64_t>(std::vector<std::uint32_t>{0xffffffff})),
            (std::vector<std::int64_t>{0xffffffffLL}));
  EXPECT_EQ((cast<std::int32_t, std::uint8_t>({0, 1}, "bool")), (Ints{0, 1}));
  EXPECT_EQ((cast<std::uint8_t>(Ints{0, 256, -1}, "i32", "bool")),
            (std::vector<std::uint8_t>{0, 1, 1}));
}

TEST(KernelInterpreter, CastsToIntegersSaturate) {
  EXPECT_EQ(cast<std::int32_t>(Floats{2.9F, -2.9F, 3e9F, -3e9F, nan_f, infinity_f}),
            (Ints{2, -2, max_i32, min_i32, 0, max_i32}));
  EXPECT_EQ(cast<std::uint8_t>(Floats{-0.9F, -5, 255.9F, 256, nan_f}),
            (std::vector<std::uint8_t>{0, 0, 255, 255, 0}));
  EXPECT_EQ(cast<std::int8_t>(Floats{-128.9F, -129, 127.9F}),
            (std::vector<std::int8_t>{-128, -128, 127}));
  EXPECT_EQ(cast<std::int64_t>(std::vector<double>{1e19, -1e19}),
            (std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max(),
                                       std::numeric_limits<std::int64_t>::min()}));
  EXPECT_EQ(cast<std::uint64_t>(Floats{1e20F, 1.8446742974197924e19F}),
            (std::vector<std::uint64_t>{~0ULL, 0xffffff0000000000ULL}));
  EXPECT_EQ(cast<std::uint8_t>(Floats{0, -0.0F, nan_f, 0.1F}, "f32", "bool"),
            (std::vector<std::uint8_t>{0, 0, 1, 1}));
}

TEST(KernelInterpreter, CastsToFloatsRoundOnce) {
  EXPECT_EQ(cast<float>(Ints{16777217, -16777219}), (Floats{16777216, -16777220}));
  EXPECT_EQ(cast<float>(std::vector<double>{1e39, 1 + 0x1p-24})[0], infinity_f);
  EXPECT_EQ(cast<float>(std::vector<double>{1 + 0x1p-24})[0], 1.0F);
  EXPECT_EQ(cast<float>(std::vector<std::uint64_t>{~0ULL})[0], 0x1p64F);
}

TEST(KernelInterpreter, HalfConversions) {
  using Words = std::vector<std::uint16_t>;
  const auto to_half = [](Floats a) { return cast<std::uint16_t>(std::move(a), "f32", "f16"); };
  EXPECT_EQ(to_half({1, -2, 65504, 65519.996F, 65520, infinity_f, 0x1p-24F, 0x1p-25F, 0x1.8p-25F}),
            (Words{0x3c00, 0xc000, 0x7bff, 0x7bff, 0x7c00, 0x7c00, 1, 0, 1}));
  EXPECT_EQ(to_half({0x1.ff8p-15F, 0x1.ffcp-15F, 1 + 0x1p-11F, 1 + 0x3p-11F, -0.0F}),
            (Words{0x03ff, 0x0400, 0x3c00, 0x3c02, 0x8000}));
  EXPECT_EQ(to_half({nan_f})[0] & 0x7c00, 0x7c00);
  EXPECT_NE(to_half({nan_f})[0] & 0x3ff, 0);
  EXPECT_EQ((cast<float, std::uint16_t>({0x3c00, 0x0001, 0x03ff, 0x8400, 0xfc00, 0x7bff}, "f16")),
            (Floats{1, 0x1p-24F, 0x1.ff8p-15F, -0x1p-14F, -infinity_f, 65504}));
  // From f64 at once: by way of f32 this ties to even and comes out lower.
  EXPECT_EQ(cast<std::uint16_t>(std::vector<double>{1 + 0x1p-11 + 0x1p-40}, "f64", "f16"),
            Words{0x3c01});
  EXPECT_EQ(cast<std::uint16_t>(Floats{1 + 0x1p-8F, 1 + 0x3p-8F, 3.4e38F}, "f32", "bf16"),
            (Words{0x3f80, 0x3f82, 0x7f80}));
  EXPECT_EQ((cast<float, std::uint16_t>({0x3f80, 0xff80, 0x0001}, "bf16")),
            (Floats{1, -infinity_f, 0x1p-133F}));
  // 2^62 + 2^54 + 1: the tie of bf16 is broken by the last bit of the integer.
  EXPECT_EQ((cast<std::uint16_t>(
                std::vector<std::int64_t>{(1LL << 62) + (1LL << 54) + 1, (1LL << 62) + (1LL << 54)},
                "i64", "bf16")),
            (Words{0x5e81, 0x5e80}));
  EXPECT_EQ((cast<std::uint16_t>(Ints{65519, 65520, -3}, "i32", "f16")),
            (Words{0x7bff, 0x7c00, 0xc200}));
}

TEST(KernelInterpreter, HalfConversionAgreesWithTheReference) {
  // Every f16 through f32 and back, and 4096 floats around each step against the f64 routine.
  std::vector<std::uint16_t> all(4096);
  for (std::uint32_t base = 0; base < 65536; base += 4096) {
    for (std::uint32_t i = 0; i < 4096; ++i) all[i] = static_cast<std::uint16_t>(base + i);
    const Floats wide = cast<float, std::uint16_t>(all, "f16");
    const auto back = cast<std::uint16_t>(wide, "f32", "f16");
    Floats offset = wide;
    for (std::uint32_t i = 0; i < 4096; ++i)
      offset[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(wide[i]) + 0x0800U * (i % 5));
    const auto narrow = cast<std::uint16_t>(offset, "f32", "f16");
    for (std::uint32_t i = 0; i < 4096; ++i) {
      if (std::isnan(wide[i])) continue;
      EXPECT_EQ(static_cast<double>(wide[i]), double_from_half(all[i]));
      EXPECT_EQ(back[i], all[i]);
      if (std::isnan(offset[i])) continue;
      EXPECT_EQ(narrow[i], half_from_double(offset[i])) << offset[i];
    }
  }
}

TEST(KernelInterpreter, BitcastKeepsBits) {
  EXPECT_EQ((apply<std::uint32_t, float>("%r = kernel.bitcast %a : u32", {1, -0.0F})),
            (std::vector<std::uint32_t>{0x3f800000, 0x80000000}));
  EXPECT_EQ((apply<double, std::int64_t>("%r = kernel.bitcast %a : f64", {0x3ff0000000000000}))[0],
            1.0);
}

/// A function of 8 invocations over %data (read_write) and %n.
std::string in_function(const std::string& body, const std::string& workgroup = "[8, 1, 1]",
                        int subgroup = 8) {
  return "kernel.func @f {exact = false, subgroup = " + std::to_string(subgroup) +
         ", workgroup = " + workgroup +
         "} (%data: buffer<i32, read_write, address>, %n: i32) {\n"
         "  %i = kernel.local_id {axis = 0} : i32\n"
         "  %zero = kernel.constant {value = 0} : i32\n"
         "  %one = kernel.constant {value = 1} : i32\n" +
         body + "  kernel.return\n}\n";
}

Status run_on(const std::string& text, Ints& data, std::int32_t n = 0,
              std::array<std::int64_t, 3> grid = {1, 1, 1},
              const InterpreterOptions& options = {}) {
  return decode(text).run(grid, std::array{buffer(data), KernelArgument::scalar(n)}, options);
}

void expect_error(const std::string& body, const std::string& message, std::int32_t n = 0,
                  const std::string& workgroup = "[8, 1, 1]", std::size_t elements = 64) {
  Ints data(elements);
  const Status status = run_on(in_function(body, workgroup), data, n);
  ASSERT_FALSE(status.has_value()) << body;
  EXPECT_THAT(status.error().message, HasSubstr(message)) << body;
  EXPECT_EQ(status.error().where.file, "test.choir");
  EXPECT_GT(status.error().where.line, 5U);
  EXPECT_FALSE(status.error().op.empty());
}

TEST(KernelInterpreter, LoopsCarryValuesLaneByLane) {
  // Lane i: Fibonacci number after i + n steps; the two carried values swap roles.
  Ints data(8);
  const Status status =
      run_on(in_function("  %end = kernel.add %i, %n : i32\n"
                         "  %a, %b = kernel.for %zero, %end, %one, %zero, %one : i32, i32 "
                         "(%k: i32, %x: i32, %y: i32) {\n"
                         "    %sum = kernel.add %x, %y : i32\n    kernel.yield %y, %sum\n  }\n"
                         "  kernel.store %a, %data, %i\n"),
             data, 2);
  ASSERT_TRUE(status.has_value()) << status.error().to_string();
  EXPECT_EQ(data, (Ints{1, 2, 3, 5, 8, 13, 21, 34}));
}

TEST(KernelInterpreter, LoopsOfNoTripGiveTheirInit) {
  Ints data(8);
  const Status status =
      run_on(in_function("  %s = kernel.for %n, %i, %one, %n : i32 (%k: i32, %x: i32) {\n"
                         "    %y = kernel.add %x, %k : i32\n    kernel.yield %y\n  }\n"
                         "  kernel.store %s, %data, %i\n"),
             data, 5);
  ASSERT_TRUE(status.has_value()) << status.error().to_string();
  EXPECT_EQ(data, (Ints{5, 5, 5, 5, 5, 5, 10, 16}));
}

TEST(KernelInterpreter, NestedDivergenceMerges) {
  // Sum over k < i of (k odd ? k : -1), computed under two levels of masks.
  Ints data(8);
  const Status status =
      run_on(in_function("  %s = kernel.for %zero, %i, %one, %zero : i32 (%k: i32, %x: i32) {\n"
                         "    %low = kernel.and %k, %one : i32\n"
                         "    %odd = kernel.compare %low, %one {predicate = eq} : bool\n"
                         "    %t = kernel.if %odd : i32 () {\n      kernel.yield %k\n    } () {\n"
                         "      %m = kernel.neg %one : i32\n      kernel.yield %m\n    }\n"
                         "    %y = kernel.add %x, %t : i32\n    kernel.yield %y\n  }\n"
                         "  kernel.store %s, %data, %i\n"),
             data);
  ASSERT_TRUE(status.has_value()) << status.error().to_string();
  EXPECT_EQ(data, (Ints{0, -1, 0, -1, 2, 1, 6, 5}));
}

TEST(KernelInterpreter, IndexNearTheTopDoesNotOverflow) {
  Ints data(8);
  const Status status =
      run_on(in_function("  %low = kernel.constant {value = 2147483640} : i32\n"
                         "  %top = kernel.constant {value = 2147483647} : i32\n"
                         "  %five = kernel.constant {value = 5} : i32\n"
                         "  %s = kernel.for %low, %top, %five, %zero : i32 (%k: i32, %x: i32) {\n"
                         "    %y = kernel.add %x, %one : i32\n    kernel.yield %y\n  }\n"
                         "  kernel.store %s, %data, %i\n"),
             data);
  ASSERT_TRUE(status.has_value()) << status.error().to_string();
  EXPECT_EQ(data, Ints(8, 2));
}

TEST(KernelInterpreter, IdsCoverTheGrid) {
  const std::string text = R"(
kernel.func @f {exact = false, subgroup = 0, workgroup = [2, 3, 2]} (%data: buffer<i32, write, address>) {
  %x = kernel.local_id {axis = 0} : i32
  %y = kernel.local_id {axis = 1} : i32
  %z = kernel.local_id {axis = 2} : i32
  %gx = kernel.workgroup_id {axis = 0} : i32
  %gy = kernel.workgroup_id {axis = 1} : i32
  %gz = kernel.workgroup_id {axis = 2} : i32
  %two = kernel.constant {value = 2} : i32
  %three = kernel.constant {value = 3} : i32
  %twelve = kernel.constant {value = 12} : i32
  %a = kernel.mul %z, %three : i32
  %b = kernel.add %a, %y : i32
  %c = kernel.mul %b, %two : i32
  %local = kernel.add %c, %x : i32
  %d = kernel.mul %gz, %two : i32
  %e = kernel.add %d, %gy : i32
  %f = kernel.mul %e, %two : i32
  %group = kernel.add %f, %gx : i32
  %g = kernel.mul %group, %twelve : i32
  %i = kernel.add %g, %local : i32
  kernel.store %i, %data, %i
  kernel.return
}
)";
  Ints data(96, -1);
  const Status status = decode(text).run({2, 2, 2}, std::array{buffer(data)});
  ASSERT_TRUE(status.has_value()) << status.error().to_string();
  for (int i = 0; i < 96; ++i) EXPECT_EQ(data[i], i);
}

TEST(KernelInterpreter, SharedMemoryExchangesAcrossBarriers) {
  Ints data(16);
  for (int i = 0; i < 16; ++i) data[i] = i * i;
  // Every workgroup reverses its 8 elements.
  const Status status = run_on(
      in_function(
          "  %s = kernel.shared : shared<i32, 8>\n  %g = kernel.workgroup_id {axis = 0} : i32\n"
          "  %eight = kernel.constant {value = 8} : i32\n"
          "  %seven = kernel.constant {value = 7} : i32\n"
          "  %base = kernel.mul %g, %eight : i32\n  %at = kernel.add %base, %i : i32\n"
          "  %v = kernel.load %data, %at : i32\n  kernel.store %v, %s, %i\n"
          "  kernel.barrier\n  %back = kernel.sub %seven, %i : i32\n"
          "  %w = kernel.load %s, %back : i32\n  kernel.store %w, %data, %at\n"),
      data, 0, {2, 1, 1});
  ASSERT_TRUE(status.has_value()) << status.error().to_string();
  EXPECT_EQ(data, (Ints{49, 36, 25, 16, 9, 4, 1, 0, 225, 196, 169, 144, 121, 100, 81, 64}));
}

TEST(KernelInterpreter, SubgroupOperations) {
  Ints data(16);
  for (int i = 0; i < 16; ++i) data[i] = 3 * i;
  const Status shuffled =
      run_on(in_function("  %v = kernel.load %data, %i : i32\n"
                         "  %w = kernel.shuffle_xor %v {mask = 5} : i32\n  kernel.barrier\n"
                         "  kernel.store %w, %data, %i\n",
                         "[16, 1, 1]"),
             data);
  ASSERT_TRUE(shuffled.has_value()) << shuffled.error().to_string();
  for (int i = 0; i < 16; ++i) EXPECT_EQ(data[i], 3 * (i ^ 5));
  const Status reduced =
      run_on(in_function("  %v = kernel.load %data, %i : i32\n"
                         "  %w = kernel.subgroup_reduce %v {function = add} : i32\n"
                         "  %x = kernel.subgroup_reduce %v {function = max} : i32\n"
                         "  %y = kernel.subgroup_reduce %v {function = min} : i32\n"
                         "  %l = kernel.lane : i32\n  %s = kernel.add %w, %x : i32\n"
                         "  %t = kernel.sub %s, %y : i32\n  %u = kernel.add %t, %l : i32\n"
                         "  kernel.store %u, %data, %i\n",
                         "[16, 1, 1]"),
             data);
  ASSERT_TRUE(reduced.has_value()) << reduced.error().to_string();
  // Subgroups 0..7 and 8..15 of 3i: sums 84 and 276, maxima 21 and 45, minima 0 and 24.
  for (int i = 0; i < 16; ++i) EXPECT_EQ(data[i], (i < 8 ? 84 + 21 : 276 + 45 - 24) + i % 8);
}

TEST(KernelInterpreter, VectorsMoveTogether) {
  const std::string text = R"(
kernel.func @f {exact = false, subgroup = 0, workgroup = [2, 1, 1]} (%in: buffer<f16, read, address>, %out: buffer<f16, write, address>) {
  %i = kernel.local_id {axis = 0} : i32
  %four = kernel.constant {value = 4} : i32
  %at = kernel.mul %i, %four : i32
  %v = kernel.load %in, %at : vector<f16, 4>
  %a = kernel.extract %v {index = 0} : f16
  %b = kernel.extract %v {index = 1} : f16
  %c = kernel.extract %v {index = 2} : f16
  %d = kernel.extract %v {index = 3} : f16
  %r = kernel.compose %d, %c, %b, %a : vector<f16, 4>
  kernel.store %r, %out, %at
  kernel.return
}
)";
  std::vector<std::uint16_t> in{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::uint16_t> out(8);
  const Status status = decode(text).run({1, 1, 1}, std::array{buffer(in), buffer(out)});
  ASSERT_TRUE(status.has_value()) << status.error().to_string();
  EXPECT_EQ(out, (std::vector<std::uint16_t>{4, 3, 2, 1, 8, 7, 6, 5}));
}

TEST(KernelInterpreter, RejectsAccessesOutOfBounds) {
  expect_error("  %at = kernel.add %i, %n : i32\n  %v = kernel.load %data, %at : i32\n",
               "buffer %data (index 64, size 64 elements, invocation (4, 0, 0) of workgroup", 60);
  expect_error("  %at = kernel.sub %i, %one : i32\n  kernel.store %one, %data, %at\n", "index -1");
  expect_error("  %s = kernel.shared : shared<i32, 4>\n  kernel.store %i, %s, %i\n",
               "shared memory %s (index 4, size 4");
  expect_error("  %at = kernel.constant {value = 62} : i32\n"
               "  %v = kernel.load %data, %at : vector<i32, 4>\n",
               "access of 4 elements");
  expect_error("  %v = kernel.load %data, %one : vector<i32, 2>\n", "not aligned to its 8 bytes");
}

TEST(KernelInterpreter, RejectsRaces) {
  // Shared memory: write-write, write-read, read-write; each is right with a barrier between.
  const std::string shared = "  %s = kernel.shared : shared<i32, 8>\n"
                             "  %next = kernel.xor %i, %one : i32\n";
  expect_error(shared + "  kernel.store %i, %s, %zero\n",
               "written by lane 0 since the last barrier");
  expect_error(shared + "  kernel.store %i, %s, %i\n  %v = kernel.load %s, %next : i32\n",
               "race on shared memory %s: reads element 1, written by lane 1");
  expect_error(shared + "  kernel.store %i, %s, %i\n  kernel.barrier\n"
                        "  %v = kernel.load %s, %next : i32\n  kernel.store %v, %s, %i\n",
               "writes element 0, read by lane 1 since the last barrier");
  Ints data(8);
  const Status right =
      run_on(in_function(shared + "  kernel.store %i, %s, %i\n  kernel.barrier\n"
                                  "  %v = kernel.load %s, %next : i32\n  kernel.barrier\n"
                                  "  kernel.store %v, %s, %i\n  kernel.store %v, %data, %i\n"),
             data);
  ASSERT_TRUE(right.has_value()) << right.error().to_string();
  EXPECT_EQ(data, (Ints{1, 0, 3, 2, 5, 4, 7, 6}));
  // Device memory, within a workgroup and between two.
  expect_error("  %next = kernel.xor %i, %one : i32\n  kernel.store %i, %data, %i\n"
               "  %v = kernel.load %data, %next : i32\n",
               "race on buffer %data");
  const Status between = run_on(in_function("  kernel.store %i, %data, %i\n"), data, 0, {2, 1, 1});
  ASSERT_FALSE(between.has_value());
  EXPECT_THAT(between.error().message, HasSubstr("written by another workgroup"));
  const Status unwatched = run_on(in_function("  kernel.store %i, %data, %i\n"), data, 0, {2, 1, 1},
                                  {.detect_races = false});
  EXPECT_TRUE(unwatched.has_value());
}

TEST(KernelInterpreter, FindsRacesBetweenOverlappingArguments) {
  const std::string text = R"(
kernel.func @f {exact = false, subgroup = 0, workgroup = [8, 1, 1]} (%in: buffer<i32, read, address>, %out: buffer<i32, write, address>) {
  %i = kernel.local_id {axis = 0} : i32
  %v = kernel.load %in, %i : i32
  kernel.store %v, %out, %i
  kernel.return
}
)";
  Ints data(9);
  const auto bytes = std::as_writable_bytes(std::span(data));
  const KernelProgram program = decode(text);
  // In place: every lane writes what it alone has read.
  const Status same = program.run(
      {1, 1, 1}, std::array{KernelArgument::constant_buffer(bytes), KernelArgument::buffer(bytes)});
  EXPECT_TRUE(same.has_value());
  const Status shifted =
      program.run({1, 1, 1}, std::array{KernelArgument::constant_buffer(bytes),
                                        KernelArgument::buffer(bytes.subspan(4))});
  ASSERT_FALSE(shifted.has_value());
  EXPECT_THAT(shifted.error().message, HasSubstr("read by lane 1"));
}

TEST(KernelInterpreter, RejectsUninitializedSharedMemory) {
  expect_error("  %s = kernel.shared : shared<i32, 8>\n  %v = kernel.load %s, %i : i32\n",
               "never written by this workgroup");
  // What the first workgroup wrote does not count for the second.
  const std::string body =
      "  %s = kernel.shared : shared<i32, 8>\n  %g = kernel.workgroup_id {axis = 0} : i32\n"
      "  %first = kernel.compare %g, %zero {predicate = eq} : bool\n  kernel.if %first () {\n"
      "    kernel.store %i, %s, %i\n    kernel.yield\n  } () {\n    kernel.yield\n  }\n"
      "  %v = kernel.load %s, %i : i32\n";
  Ints data(8);
  EXPECT_TRUE(run_on(in_function(body), data, 0, {1, 1, 1}).has_value());
  const Status status = run_on(in_function(body), data, 0, {2, 1, 1});
  ASSERT_FALSE(status.has_value());
  EXPECT_THAT(status.error().message, HasSubstr("invocation (0, 0, 0) of workgroup (1, 0, 0)"));
}

TEST(KernelInterpreter, RejectsBrokenPromises) {
  expect_error("  %q = kernel.div %i, %n {index = true} : i32\n", "promises a >= 0 and b > 0", -2);
  expect_error("  kernel.for %zero, %n, %i (%k: i32) {\n    kernel.yield\n  }\n",
               "loop step is not positive (0", 4);
  expect_error("  kernel.for %zero, %n, %one {maximum_trips = 3} (%k: i32) {\n"
               "    kernel.yield\n  }\n",
               "more trips than it promises (4, maximum_trips 3)", 4);
}

TEST(KernelInterpreter, RejectsBarriersAndShufflesOfSomeInvocations) {
  // The verifier refuses these; the interpreter must not trust it. So the text is not verified.
  const auto run_unverified = [](const std::string& inner) {
    auto module = choir::parse(
        "choir kernel v1\n" + in_function("  %c = kernel.compare %i, %one {predicate = lt} : bool\n"
                                          "  kernel.if %c () {\n    " +
                                          inner +
                                          "\n    kernel.yield\n  } () {\n"
                                          "    kernel.yield\n  }\n"),
        "test.choir", registry());
    EXPECT_TRUE(module.has_value());
    auto program = KernelProgram::decode(*module->body().front());
    EXPECT_TRUE(program.has_value());
    Ints data(8);
    return program->run({1, 1, 1}, std::array{buffer(data), KernelArgument::scalar(1)});
  };
  const Status barrier = run_unverified("kernel.barrier");
  ASSERT_FALSE(barrier.has_value());
  EXPECT_THAT(barrier.error().message, HasSubstr("1 of 8 invocations arrive"));
  const Status shuffle = run_unverified("%s = kernel.shuffle_xor %i {mask = 1} : i32");
  ASSERT_FALSE(shuffle.has_value());
  EXPECT_THAT(shuffle.error().message, HasSubstr("not all lanes of the subgroup are active"));
}

TEST(KernelInterpreter, StopsAtTheStepLimit) {
  Ints data(8);
  const std::string text = in_function("  kernel.for %zero, %n, %one (%k: i32) {\n"
                                       "    kernel.yield\n  }\n");
  const Status status = run_on(text, data, max_i32, {1, 1, 1}, {.maximum_steps = 100000});
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::timeout);
  EXPECT_EQ(status.error().op, "kernel.for");
  const Status many =
      run_on(in_function(""), data, 0, {max_i32, max_i32, 1}, {.maximum_steps = 1000});
  ASSERT_FALSE(many.has_value());
  EXPECT_EQ(many.error().code, ErrorCode::timeout);
}

TEST(KernelInterpreter, RejectsWrongArguments) {
  Ints data(8);
  const KernelProgram program = decode(in_function("  kernel.store %i, %data, %i\n"));
  const auto message = [&](std::span<const KernelArgument> arguments,
                           std::array<std::int64_t, 3> grid = {1, 1, 1}) {
    const Status status = program.run(grid, arguments);
    return status.has_value() ? std::string() : status.error().message;
  };
  const auto n = KernelArgument::scalar(0);
  const auto read_only = KernelArgument::constant_buffer(std::as_bytes(std::span(data)));
  EXPECT_THAT(message(std::array{buffer(data)}), HasSubstr("takes 2 arguments (got 1)"));
  EXPECT_THAT(message(std::array{n, n}), HasSubstr("argument 0 of kernel @f is a buffer"));
  EXPECT_THAT(message(std::array{read_only, n}), HasSubstr("read-only"));
  EXPECT_THAT(message(std::array{buffer(data), n}, {-1, 1, 1}), HasSubstr("grid extent"));
  EXPECT_EQ(message(std::array{buffer(data), n}, {0, 1, 1}), "");
}

TEST(KernelInterpreter, KeepsItsSpeed) {
  // A 64 x 64 x 64 matmul of one output a lane; prints the rate, fails only when it is absurd.
  constexpr std::int64_t size = 64;
  choir::Module module(registry(), "kernel");
  kernel::KernelBuilder k(module.body(), {.name = "matmul", .workgroup = {size, 1, 1}});
  auto* a = k.add_buffer(ElementType::f32, kernel::Access::read);
  auto* b = k.add_buffer(ElementType::f32, kernel::Access::read);
  auto* c = k.add_buffer(ElementType::f32, kernel::Access::write);
  auto* row = k.mul(k.workgroup_id(0), size);
  auto* column = k.local_id(0);
  auto* sum = k.for_loop(k.constant_i32(0), k.constant_i32(size), k.constant_i32(1),
                         {k.constant_f32(0)}, [&](auto* i, const auto& carried) {
                           auto* x = k.load(a, k.add(row, i));
                           auto* y = k.load(b, k.add(k.mul(i, size), column));
                           return kernel::KernelBuilder::Values{k.fma(x, y, carried[0])};
                         })[0];
  k.store(sum, c, k.add(row, column));
  k.finish();
  ASSERT_TRUE(choir::verify(module).has_value());
  const auto program = KernelProgram::decode(k.function());
  ASSERT_TRUE(program.has_value());
  Floats x(size * size);
  Floats y(size * size);
  Floats z(size * size);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i % 7) - 3;
    y[i] = static_cast<float>(i % 5) - 2;
  }
  const auto start = std::chrono::steady_clock::now();
  constexpr int repeats = 10;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const Status status = program->run({size, 1, 1}, std::array{buffer(x), buffer(y), buffer(z)});
    ASSERT_TRUE(status.has_value()) << status.error().to_string();
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double rate = repeats * double{size} * size * size * 7 / seconds;
  std::printf("[   rate   ] %.0f M lane operations/s\n", rate / 1e6);
  EXPECT_GT(rate, 1e6);
  for (std::int64_t i = 0; i < size; ++i) {
    double expected = 0;  // small integers: exact
    for (std::int64_t j = 0; j < size; ++j)
      expected += static_cast<double>(x[i * size + j]) * y[j * size + 3];
    EXPECT_EQ(z[i * size + 3], expected);
  }
}

}  // namespace
}  // namespace accy::evaluate
