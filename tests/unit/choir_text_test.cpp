// The text form of choir: what is read and printed, and that print and parse agree.
#include <bit>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "choir/builder.hpp"
#include "choir/text.hpp"
#include "support/choir_text_fixture.hpp"

namespace accy::choir {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view sample = R"(choir tensor v1 {recipe = "accy", seed = -7}
// a comment
test.function @main {exact = true, limits = [1, 2.5, !tensor<f32, [n, 64]>]} (%x: f32, %y: f32) {
  %sum = test.add %x, %y
  %a, %b = test.pair : i32, tensor<f32, [n, 4]>
  %out = test.loop %sum, %a : f32 (%i: i32, %"carried value": f32) {
    %more = test.add %"carried value", %sum : f32 loc("model.onnx":12:3, "b":1:1)
    test.yield %more
  }
  test.branch %out () {
    %z = test.value {map = {"a b" = @x, c = {}}, raw = x"00ff"} : f32
    test.yield
  } () {
    %z = test.value : f32
    test.yield
  }
  test.yield %out
}
)";

TEST(ChoirText, ReadsWhatTheTextSays) {
  const Module module = read(sample);
  EXPECT_EQ(module.stage(), "tensor");
  EXPECT_EQ(module.operation().attribute("seed").integer(), -7);
  const Operation& function = *module.lookup("main");
  EXPECT_EQ(function.location().first(), (SourceLocation{"test.choir", 3, 1}));
  EXPECT_EQ(function.body().argument(1)->name(), "y");
  EXPECT_TRUE(function.attribute("exact").boolean());
  EXPECT_EQ(function.attribute("limits").array()[1].floating(), 2.5);
  const Type listed = function.attribute("limits").array()[2].type();
  EXPECT_EQ(listed.name(), "tensor");
  EXPECT_EQ(listed.parameters()[1].array()[0].text(), "n");

  const Operation& sum = *function.body().front();
  EXPECT_EQ(sum.result()->type().name(), "f32") << "inferred";
  EXPECT_EQ(sum.operand(1), function.body().argument(1));
  EXPECT_EQ(sum.location().first(), (SourceLocation{"test.choir", 4, 3}));
  const Operation& loop = *sum.next()->next();
  EXPECT_EQ(loop.body().argument(1)->name(), "carried value");
  const Operation& more = *loop.body().front();
  ASSERT_EQ(more.location().positions().size(), 2U);
  EXPECT_EQ(more.location().positions()[0].file, "model.onnx");
  EXPECT_EQ(more.location().positions()[1].line, 1U);
  EXPECT_EQ(more.operand(1), sum.result()) << "an outer value seen in a region";
  const Operation& branch = *loop.next();
  const Attribute raw = branch.body(0).front()->attribute("raw");
  ASSERT_EQ(raw.data().size(), 2U);
  EXPECT_EQ(raw.data()[1], std::byte{0xff});
  EXPECT_EQ(branch.body(0).front()->attribute("map").get("a b").text(), "x");
  EXPECT_TRUE(verify(module)) << verify(module).error().to_string();
  EXPECT_EQ(count_operations(module.operation()), 13U);
}

TEST(ChoirText, PrintsTheCanonicalForm) {
  EXPECT_EQ(canonical("choir  tensor v1{z=1,a=[ ]} test.function@f(%a:f32){%b=test.add %a,%a "
                      "test.use test.use %b{k=x\"Ff\"}\n%c=test.value:f32\n}"),
            "choir tensor v1 {a = [], z = 1}\n"
            "test.function @f (%a: f32) {\n"
            "  %b = test.add %a, %a : f32\n"
            "  test.use\n"
            "  test.use %b {k = x\"ff\"}\n"
            "  %c = test.value : f32\n"
            "}\n");
}

TEST(ChoirText, AnOperationWithoutOperandsDoesNotTakeTheNextResults) {
  const Module module =
      read("choir t v1\ntest.use\n%a, %b = test.pair : f32, f32\ntest.use %a, %b");
  EXPECT_EQ(module.body().front()->operand_count(), 0U);
  EXPECT_EQ(module.body().back()->operand_count(), 2U);
}

TEST(ChoirText, RoundTripsTheSample) {
  const Module module = read(sample);
  expect_round_trip(module);
  expect_round_trip(module.clone());
  EXPECT_EQ(print(module.clone()), print(module));
}

TEST(ChoirText, PrintsOneOperation) {
  const Module module = read("choir t v1\n%a = test.value : f32\n%b = test.add %a, %a");
  EXPECT_EQ(print(*module.body().back(), {.locations = false, .names = true}),
            "%b = test.add %a, %a : f32");
  EXPECT_EQ(print(*module.body().back(), {.locations = false, .names = false}),
            "%0 = test.add %1, %1 : f32");
  EXPECT_EQ(print(*module.body().front(), {.locations = true, .names = true}),
            "%a = test.value : f32 loc(\"test.choir\":2:1)");
}

TEST(ChoirText, SpellsEveryAttribute) {
  Module module(registry(), "a stage");
  Context& context = module.context();
  std::vector<Attribute> list;
  const auto bits_of = [](std::uint64_t value) { return std::bit_cast<double>(value); };
  for (double value :
       {0.0, -0.0, 1.0, 0.1, -1e300, 5e-324, 1.7976931348623157e308, 1e20, 123456789.0,
        std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
        bits_of(0x7ff8000000000000), bits_of(0xfff8000000000000), bits_of(0x7ff0000000000001)})
    list.push_back(context.floating(value));
  for (std::int64_t value : {std::numeric_limits<std::int64_t>::min(), std::int64_t{0},
                             std::numeric_limits<std::int64_t>::max()})
    list.push_back(context.integer(value));
  for (std::string_view word : {"n", "true", "false", "inf", "nan", "x", "w", "a.b", "", "3d",
                                "batch size", "\xc3\xa4", "a.", "\"quoted\""}) {
    list.push_back(context.word(word));
    list.push_back(context.symbol(word));
    list.push_back(context.string(word));
  }
  list.push_back(context.string(
      std::string_view("\0\x01\x1f\x7f\t\r\n\\\"//\xf0\x9f\x98\x80", 15)));
  list.push_back(context.boolean(false));
  list.push_back(context.data({}));
  list.push_back(context.dictionary({{"true", context.word("true")}, {"a/b", list[0]}}));
  list.push_back(context.type_attribute(context.type("box", list)));
  module.operation().set_attribute("list", context.array(list));
  module.operation().set_attribute("symbol", context.symbol("top"));
  EXPECT_TRUE(verify(module)) << verify(module).error().to_string();
  expect_round_trip(module);
  EXPECT_EQ(print(context.floating(1.0)), "1.0");
  EXPECT_EQ(print(context.floating(1e20)), "1e+20");
  EXPECT_EQ(print(context.floating(bits_of(0x7ff0000000000001))), "0x7ff0000000000001");
  EXPECT_EQ(print(context.word("nan")), "w\"nan\"");
  EXPECT_EQ(print(context.string("a\x01\n\"\\")), "\"a\\u0001\\n\\\"\\\\\"");
  EXPECT_EQ(print(Attribute()), "<null>");
}

TEST(ChoirText, SortsTheAttributesOfANewOperation) {
  Module module(registry(), "t");
  Context& context = module.context();
  Builder builder(module.body());
  const auto printed = [&](const std::vector<NamedAttribute>& attributes) {
    const Operation* made = builder.create("test.use", {}, {}, attributes);
    return print(*made, {.locations = false, .names = true});
  };
  const Attribute one = context.integer(1);
  const Attribute two = context.integer(2);
  EXPECT_EQ(printed({{"a", one}, {"b", two}}), "test.use {a = 1, b = 2}");
  EXPECT_EQ(printed({{"b", two}, {"a", one}}), "test.use {a = 1, b = 2}");
  EXPECT_EQ(printed({{"a", one}, {"a", two}}), "test.use {a = 2}") << "the later counts";
  std::string name = "mine";
  const Operation* made = builder.create("test.use", {}, {}, {{name, one}});
  name = "lost";
  EXPECT_EQ(made->attributes()[0].name, "mine") << "the context keeps the name";
}

TEST(ChoirText, RoundTripsRandomFloats) {
  std::mt19937_64 random(7);
  Module module(registry(), "t");
  std::vector<Attribute> list;
  for (int count = 0; count < 5000; ++count)
    list.push_back(module.context().floating(std::bit_cast<double>(random())));
  module.operation().set_attribute("list", module.context().array(list));
  expect_round_trip(module);
}

TEST(ChoirText, MakesNamesUnique) {
  Module module(registry(), "t");
  Context& context = module.context();
  Builder builder(module.body());
  const Type f32 = context.type("f32");
  const auto value = [&](Builder& at, std::string_view name) {
    Value* made = at.create("test.value", {}, {f32})->result();
    if (!name.empty()) made->set_name(context.intern(name));
    return made;
  };
  for (std::string_view name : {"x", "x", "x_1", "", "0", "a b", "a b"}) value(builder, name);
  const std::string bad_utf8 = "\xff";
  for (const std::string& name : {std::string(5000, 'y'), std::string("a\0b", 3), bad_utf8})
    value(builder, name);
  Operation* loop = builder.create("test.loop", {}, {f32});
  loop->result()->set_name("x");
  Builder inner(loop->body());
  value(inner, "x");
  value(inner, "later");
  value(builder, "later");
  EXPECT_EQ(print(module, {.locations = false, .names = true}),
            "choir t v1\n"
            "%x = test.value : f32\n"
            "%x_1 = test.value : f32\n"
            "%x_1_1 = test.value : f32\n"
            "%0 = test.value : f32\n"
            "%\"0\" = test.value : f32\n"
            "%\"a b\" = test.value : f32\n"
            "%\"a b_1\" = test.value : f32\n"
            "%1 = test.value : f32\n"
            "%2 = test.value : f32\n"
            "%3 = test.value : f32\n"
            "%x_2 = test.loop : f32 () {\n"
            "  %x_3 = test.value : f32\n"
            "  %later = test.value : f32\n"
            "}\n"
            "%later = test.value : f32\n");
  const std::string text = print(module);
  EXPECT_EQ(print(read(text)), text);
  const std::string numbered = print(module, {.locations = false, .names = false});
  EXPECT_THAT(numbered, HasSubstr("%10 = test.loop : f32 () {\n  %11 = "));
  EXPECT_EQ(canonical(numbered), numbered);
}

TEST(ChoirText, IsolatedRegionsHaveNamesOfTheirOwn) {
  const std::string text =
      "choir t v1\n"
      "%x = test.value : f32\n"
      "%0 = test.value : f32\n"
      "test.function @f (%x: f32) {\n"
      "  %0 = test.value : f32\n"
      "  test.yield %x\n"
      "}\n"
      "test.use %x, %0\n";
  EXPECT_EQ(canonical(text), text);
}

TEST(ChoirText, KeepsAbsentLocations) {
  Module module(registry(), "t");
  Builder builder(module.body());
  builder.create("test.use", {}, {});
  module.operation().set_location(module.context().location("m.py", 0, 0));
  EXPECT_EQ(print(module), "choir t v1 loc(\"m.py\":0:0)\ntest.use loc()\n");
  expect_round_trip(module);
}

/// The text with one to three edits: a byte set or inserted, a stretch removed, doubled or moved.
std::string mutate(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return random() % std::max<std::size_t>(limit, 1); };
  constexpr std::string_view likely = "{}()[]<>%@\"!=,:. \n\\x0w-e/\xff\x00\xc3\xa4";
  for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
    const std::size_t at = below(text.size());
    const std::string piece = text.substr(at, 1 + below(40));
    const char byte = below(2) == 0 ? likely[below(likely.size())] : static_cast<char>(random());
    switch (below(5)) {
      case 0: text[at] = byte; break;
      case 1: text.insert(at, 1, byte); break;
      case 2: text.erase(at, piece.size()); break;
      case 3: text.insert(at, piece); break;
      default: text.insert(below(text.size()), piece); break;
    }
  }
  return text;
}

TEST(ChoirText, SurvivesRandomChanges) {
  std::mt19937 random(11);
  int accepted = 0;
  for (int round = 0; round < 10000; ++round) {
    const std::string text = mutate(std::string(sample), random);
    const auto module = parse(text, "test.choir", registry());
    if (!module) {
      EXPECT_TRUE(module.error().where.known());
      continue;
    }
    ++accepted;
    Diagnostics diagnostics;
    verify(*module, diagnostics);
    const std::string printed = print(*module);
    const auto again = parse(printed, "test.choir", registry());
    ASSERT_TRUE(again) << again.error().to_string() << text;
    ASSERT_TRUE(Comparison().equal(*module, *again)) << text;
  }
  EXPECT_GT(accepted, 100) << "changes that keep the text valid test the printer";
  EXPECT_LT(accepted, 9000);
}

TEST(ChoirText, HandlesAHundredThousandOperations) {
  Module module(registry(), "t");
  Context& context = module.context();
  Builder builder(module.body());
  const Type f32 = context.type("f32");
  Value* last = builder.create("test.value", {}, {f32})->result();
  Block* block = &module.body();
  for (std::uint32_t line = 1; line < 100000; ++line) {
    Builder at(*block);
    at.set_location(context.location("big.py", line, 1));
    if (line % 1000 == 0) block = &at.create("test.loop", {last}, {})->body();
    if (line % 1000 == 500) block = &module.body();
    if (line % 1000 == 500) last = module.body().front()->result();
    Value* next = Builder(*block).create("test.add", {last, last}, {f32})->result();
    next->set_name("sum");
    last = next;
  }
  EXPECT_TRUE(verify(module));
  const std::string text = print(module);
  const auto again = parse_and_verify(text, "x", registry());
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ(count_operations(again->operation()), count_operations(module.operation()));
  EXPECT_EQ(print(*again), text);
}

}  // namespace
}  // namespace accy::choir
