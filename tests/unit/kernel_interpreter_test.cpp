// The kernel interpreter: every operation at the corners of its semantics.
#include <bit>
#include <cmath>
#include <gtest/gtest.h>

#include "support/kernel_interpreter_fixture.hpp"

namespace accy::evaluate {
namespace {

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
            (Ints{1, -1, 1, 5, 0, 0}));
  EXPECT_EQ(binary<std::uint8_t>("div", {200, 200}, {7, 0}), (std::vector<std::uint8_t>{28, 0}));
  EXPECT_EQ(binary<std::uint8_t>("rem", {200, 200}, {7, 0}), (std::vector<std::uint8_t>{4, 200}));
  EXPECT_EQ(binary<std::int8_t>("div", {-128}, {-1}), (std::vector<std::int8_t>{-128}));
  EXPECT_EQ(binary<std::int8_t>("rem", {-128}, {-1}), (std::vector<std::int8_t>{0}));
  EXPECT_EQ(binary<std::int32_t>("rem", {std::numeric_limits<std::int32_t>::min()}, {-1}),
            (Ints{0}));
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
  EXPECT_EQ(unary<float>("round", {-1.5F, 0.5F, 2.5F}), (Floats{-2, 0, 2}));
  EXPECT_EQ(bits(unary<float>("trunc", {-0.5F, 1.5F})),
            (std::vector<std::uint32_t>{0x80000000, 0x3f800000}));
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

}  // namespace
}  // namespace accy::evaluate
