// The text form of choir: what is read, what is refused and where, and that print and parse agree.
#include "choir/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "choir/builder.hpp"
#include "support/checked.hpp"

namespace accy::choir {
namespace {

using ::testing::HasSubstr;

Result<std::vector<Type>> infer_first(const Operation& operation) {
  if (operation.operand(0)->type() != operation.operand(1)->type())
    return fail(ErrorCode::invalid_input, "operand types differ");
  return std::vector<Type>{operation.operand(0)->type()};
}

void verify_even(const Operation& operation, Diagnostics& diagnostics) {
  const Attribute value = operation.attribute("value");
  if (value.is(AttributeKind::integer) && value.integer() % 2 != 0)
    diagnostics.report(operation, "value is odd (" + std::to_string(value.integer()) + ")");
}

Status verify_tensor(Type type) {
  if (type.parameters().size() == 2 && type.parameters()[0].is(AttributeKind::word)) return {};
  return fail(ErrorCode::invalid_input, "tensor takes an element type and a shape");
}

Status verify_anything(Type) { return {}; }

constexpr std::uint32_t bits(Trait trait) { return static_cast<std::uint32_t>(trait); }

const OperationDefinition definitions[] = {
    {.name = "test.value", .summary = "source", .operand_count = 0, .result_count = 1},
    {.name = "test.add", .summary = "inferred", .operand_count = 2, .result_count = 1,
     .infer = infer_first},
    {.name = "test.pair", .summary = "two results", .operand_count = 0, .result_count = 2},
    {.name = "test.even", .summary = "own rule", .operand_count = 0, .result_count = 0,
     .verify = verify_even},
    {.name = "test.use", .summary = "anything", .result_count = 0},
    {.name = "test.function", .summary = "symbol", .traits = Trait::symbol | Trait::isolated,
     .operand_count = 0, .result_count = 0, .region_count = 1},
    {.name = "test.loop", .summary = "one region", .region_count = 1},
    {.name = "test.branch", .summary = "two regions", .operand_count = 1, .region_count = 2},
    {.name = "test.yield", .summary = "terminator", .traits = bits(Trait::terminator),
     .result_count = 0},
};

const Registry& registry() {
  static const Registry shared = [] {
    Registry made;
    for (const OperationDefinition& definition : definitions) made.add(definition);
    for (std::string_view name : {"f32", "i32"}) made.add(TypeDefinition{name, nullptr});
    made.add(TypeDefinition{"tensor", verify_tensor});
    made.add(TypeDefinition{"box", verify_anything});
    return made;
  }();
  return shared;
}

/// Equality of two modules without the printer's help: both are imported into one context.
class Comparison {
 public:
  bool equal(const Module& a, const Module& b) { return same(a.operation(), b.operation()); }

 private:
  bool same_value(const Value& a, const Value& b) {
    map_[&a] = &b;
    return context_.import(a.type()) == context_.import(b.type()) && a.name() == b.name();
  }
  bool same(const Operation& a, const Operation& b) {
    if (&a.definition() != &b.definition() || a.operand_count() != b.operand_count() ||
        a.result_count() != b.result_count() || a.region_count() != b.region_count() ||
        a.attributes().size() != b.attributes().size())
      return false;
    const auto places_a = a.location().positions();
    const auto places_b = b.location().positions();
    if (!std::equal(places_a.begin(), places_a.end(), places_b.begin(), places_b.end()))
      return false;
    for (std::size_t i = 0; i < a.attributes().size(); ++i)
      if (a.attributes()[i].name != b.attributes()[i].name ||
          context_.import(a.attributes()[i].value) != context_.import(b.attributes()[i].value))
        return false;
    for (std::size_t i = 0; i < a.operand_count(); ++i)
      if (map_.at(a.operand(i)) != b.operand(i)) return false;
    for (std::size_t i = 0; i < a.region_count(); ++i)
      if (!same(a.body(i), b.body(i))) return false;
    for (std::size_t i = 0; i < a.result_count(); ++i)
      if (!same_value(*a.result(i), *b.result(i))) return false;
    return true;
  }
  bool same(const Block& a, const Block& b) {
    if (a.size() != b.size() || a.argument_count() != b.argument_count()) return false;
    for (std::size_t i = 0; i < a.argument_count(); ++i)
      if (!same_value(*a.argument(i), *b.argument(i))) return false;
    const Operation* other = b.front();
    for (const Operation* one = a.front(); one != nullptr; one = one->next(), other = other->next())
      if (!same(*one, *other)) return false;
    return true;
  }

  Context context_{registry()};
  std::unordered_map<const Value*, const Value*> map_;
};

Module read(std::string_view text) {
  auto module = parse(text, "test.choir", registry());
  EXPECT_TRUE(module) << (module ? "" : module.error().to_string());
  if (!module) return Module(registry(), "failed");
  return std::move(*module);
}

Error error_of(std::string_view text) {
  auto module = parse_and_verify(text, "test.choir", registry());
  EXPECT_FALSE(module) << text;
  return module ? Error{} : module.error();
}

/// print, parse and compare; also that the text is a fixed point.
void expect_round_trip(const Module& module) {
  const std::string text = print(module);
  auto again = parse(text, "other.choir", registry());
  ASSERT_TRUE(again) << again.error().to_string() << "\n" << text;
  EXPECT_TRUE(Comparison().equal(module, *again)) << text;
  EXPECT_EQ(print(*again), text);
}

std::string canonical(std::string_view text) {
  return print(read(text), {.locations = false, .names = true});
}

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

std::string nested_regions(std::size_t levels) {
  std::string text = "choir t v1\n";
  for (std::size_t level = 0; level < levels; ++level) text += "test.loop () {\n";
  for (std::size_t level = 0; level < levels; ++level) text += "}\n";
  return text;
}

std::string nested_attribute(std::size_t levels, std::string open, std::string close) {
  std::string text = "choir t v1\ntest.use {a = ";
  for (std::size_t level = 0; level < levels; ++level) text += open;
  text += "1";
  for (std::size_t level = 0; level < levels; ++level) text += close;
  return text + "}\n";
}

TEST(ChoirText, LimitsNesting) {
  expect_round_trip(read(nested_regions(limits::nesting)));
  EXPECT_THAT(error_of(nested_regions(limits::nesting + 1)).message, HasSubstr("limit is 64"));
  const std::pair<std::string, std::string> brackets[] = {
      {"[", "]"}, {"{k = ", "}"}, {"!box<", ">"}};
  for (const auto& [open, close] : brackets) {
    const Module module = read(nested_attribute(limits::nesting, open, close));
    EXPECT_TRUE(verify(module)) << open;
    expect_round_trip(module);
    const Error error = error_of(nested_attribute(limits::nesting + 1, open, close));
    EXPECT_THAT(error.message, HasSubstr("limit is 64 levels")) << open;
    EXPECT_EQ(error.message.find("test.choir:"), std::string::npos) << "one error only";
    EXPECT_THAT(error_of(nested_attribute(200000, open, close)).message, HasSubstr("limit is 64"));
  }
  EXPECT_THAT(error_of(nested_regions(100000)).message, HasSubstr("limit is 64"));
}

struct Fault {
  std::string body;  ///< behind the line "choir t v1"
  std::uint32_t line;
  std::uint32_t column;
  std::string message;
  std::string op = {};
};

std::string place_of(const Fault& fault) {
  return SourceLocation{"test.choir", fault.line, fault.column}.to_string();
}

// Lines count from the header in line 1. `%v` stands for a value that the first line defines.
const Fault faults[] = {
    {"test.use %v {\x01", 3, 14, "unexpected character '?'"},
    {"test.use $", 3, 10, "unexpected character '$'"},
    {"test.use %", 3, 10, "name is missing behind '%'"},
    {"test.use {a = \"open", 3, 15, "string is not closed on its line"},
    {"test.use {a = 12z}", 3, 15, "malformed number '12z'"},
    {"test.use {a = 1.}", 3, 15, "malformed number '1.'"},
    {"test.use {a = 0x12}", 3, 15, "malformed number '0x12'"},
    {"test.use {a = 0xzzzzzzzzzzzzzzzz}", 3, 15, "out of the range"},
    {"test.use {a = 9223372036854775808}", 3, 15, "integer '9223372036854775808' is out of range"},
    {"test.use {a = -9223372036854775809}", 3, 15, "limits are -9223372036854775808 and"},
    {"test.use {a = 1e999}", 3, 15, "number '1e999' is out of the range"},
    {"test.use {a = \"\xc3\xa4\\q\"}", 3, 17, "unknown escape"},
    {"test.use {a = \"\\ud800\"}", 3, 16, "surrogate"},
    {"test.use {a = \"\\u12g4\"}", 3, 16, "four hexadecimal digits"},
    {"test.use {a = \"\t\"}", 3, 16, "control character 9"},
    {"test.use {a = x\"0\"}", 3, 15, "pairs of hexadecimal digits"},
    {"test.use {a = x\"0g\"}", 3, 15, "pairs of hexadecimal digits, found '0g'"},
    {"test.use {a 1}", 3, 13, "expected '=' behind an attribute's name, found '1'"},
    {"test.use {a = }", 3, 15, "expected an attribute, found '}'"},
    {"test.use {a = 1 b = 2}", 3, 17, "expected ',' or '}', found 'b'"},
    {"test.use {a = 1, a = 2}", 3, 18, "attribute 'a' is given twice"},
    {"test.use {\"\" = 1}", 3, 11, "name is empty"},
    {"test.use {a = [1, 2}", 3, 20, "expected ',' or ']', found '}'"},
    {"test.use {a = !f33}", 3, 16, "unknown type 'f33'"},
    {"test.use {a = !f32<1>}", 3, 16, "takes no parameters (1 given)"},
    {"test.use {a = !tensor<1>}", 3, 16, "tensor takes an element type and a shape"},
    {"test.use @f {symbol = @g}", 3, 10, "'symbol' is given twice", "test.use"},
    {"test.use %v,", 3, 13, "expected an operand as %name, found the end of the text"},
    {"test.use %nothing", 3, 10, "value '%nothing' is not defined here", "test.use"},
    {"%a = test.add %a, %v", 3, 15, "value '%a' is used in its own definition", "test.add"},
    {"%v = test.value : f32", 3, 1, "value '%v' is defined already in line 2"},
    {"%\"v\" = test.value : f32", 3, 1, "defined already in line 2"},
    {"%\"\" = test.value : f32", 3, 1, "value name is empty"},
    {"%\"\\u0000\" = test.value : f32", 3, 1, "contains a NUL"},
    {"test.loop () {\n  %v = test.value : f32\n}", 4, 3, "defined already in line 2"},
    {"test.loop () {\n  %i = test.value : f32\n}\ntest.use %i", 6, 10, "'%i' is not defined here",
     "test.use"},
    {"test.function @f () {\n  test.use %v\n}", 4, 12, "outside the isolated operation",
     "test.use"},
    {"%a = test.ad %v, %v : f32", 3, 6, "unknown operation 'test.ad'; did you mean 'test.add'?"},
    {"%a = add %v, %v : f32", 3, 6, "did you mean 'test.add'?"},
    {"zzz.unheard_of", 3, 1, "unknown operation 'zzz.unheard_of'\n"},
    {"%a test.value : f32", 3, 4, "expected '=' behind the results, found 'test.value'"},
    {"%a = %v", 3, 6, "expected an operation as dialect.name, found '%v'"},
    {"%a, %b = test.pair : f32", 3, 20, "1 result type but 2 result names", "test.pair"},
    {"%a = test.pair : f32", 3, 6, "has 2 results, found 1 result type", "test.pair"},
    {"test.value", 3, 1, "has 1 result, found 0 result names", "test.value"},
    {"%a = test.value", 3, 6, "cannot be inferred", "test.value"},
    {"%a, %b = test.add %v, %v", 3, 10, "has 1 result, found 2 result names", "test.add"},
    {"%a = test.add %v", 3, 6, "takes 2 operands, found 1", "test.add"},
    {"%i = test.value : i32\n%a = test.add %v, %i", 4, 6, "operand types differ", "test.add"},
    {"%a = test.value : f32,", 3, 23, "expected a type name"},
    {"%a = test.value : tensor<f32", 3, 29, "expected ',' or '>'"},
    {"test.loop", 3, 1, "has 1 region, found 0", "test.loop"},
    {"test.branch %v () {} () {} () {}", 3, 16, "has 2 regions, found 3", "test.branch"},
    {"test.loop (x: f32) {}", 3, 12, "expected a region's argument as %name, found 'x'"},
    {"test.loop (%x f32) {}", 3, 15, "expected ':' behind an argument's name"},
    {"test.loop (%x: f32 {}", 3, 20, "expected ')'"},
    {"test.loop () test.use", 3, 14, "expected '{'"},
    {"test.loop () {\ntest.use", 4, 9, "expected '}' at the end of a region, found the end"},
    {"}", 3, 1, "'}' closes nothing"},
    {"test.use loc(x:1:2)", 3, 14, "expected a file name in quotes"},
    {"test.use loc(\"x\":1)", 3, 19, "expected ':' behind the line"},
    {"test.use loc(\"x\":4294967296:1)", 3, 18, "limits are 0 and 4294967295"},
    {"test.use loc(\"x\":-1:1)", 3, 18, "out of range"},
    {"test.use loc(\"x\":1.5:1)", 3, 18, "expected a line or column number"},
    {"\xc3\xa4", 3, 1, "unexpected character '\xc3\xa4'"},
    {"test.use {a = \"\xc3\xa4\xc3\xa4\"} $", 3, 21, "unexpected character '$'"},
    // Found by the verifier, shown with the line of the text.
    {"test.even {value = 3}", 3, 1, "value is odd (3)\n  test.even {value = 3}\n  ^", "test.even"},
    {"%a = test.add %v, %v : i32", 3, 1,
     "type of result 0 is i32, inference says f32\n  %a", "test.add"},
    {"test.yield\ntest.use", 3, 1, "ends a block", "test.yield"},
    {"test.function () {}", 3, 1, "has no symbol", "test.function"},
    {"test.function @f () {}\n test.function @f () {}", 4, 2, "symbol @f is defined twice",
     "test.function"},
    {"test.even %v", 3, 1, "has 1 operand, its definition says 0", "test.even"},
};

TEST(ChoirText, ReportsFaultsAtTheirPlace) {
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.body);
    const Error error = error_of("choir t v1\n%v = test.value : f32\n" + fault.body);
    EXPECT_EQ(error.where.to_string(), place_of(fault));
    EXPECT_THAT(error.message, HasSubstr(fault.message));
    EXPECT_EQ(error.op, fault.op);
    EXPECT_EQ(error.code, ErrorCode::invalid_input);
  }
}

TEST(ChoirText, EachFaultIsReportedOnce) {
  for (const Fault& fault : faults) {
    const Error error = error_of("choir t v1\n%v = test.value : f32\n" + fault.body +
                                 "\n%good = test.value : f32\ntest.use %good\n");
    if (fault.message.find("end") != std::string::npos) continue;  // the added lines change it
    EXPECT_EQ(error.message.find("test.choir:"), std::string::npos)
        << fault.body << "\n" << error.message;
  }
}

TEST(ChoirText, ReportsFaultyHeaders) {
  const Fault headers[] = {
      {"", 1, 1, "expected 'choir STAGE v1' at the start, found the end of the text"},
      {"chair t v1", 1, 1, "found 'chair'"},
      {"choir 3 v1", 1, 7, "expected the name of a stage, found '3'"},
      {"choir t v2", 1, 9, "expected the text version 'v1', found 'v2'"},
      {"choir t v1 {stage = a}", 1, 12, "attribute 'stage'"},
      {"choir t v1 {a = 1", 1, 18, "expected ',' or '}'"},
      {std::string("choir t v1\n\xc3\xa4 \0", 15), 2, 3, "NUL byte"},
      {"choir t v1\n \xc3\xa4\xc0\x80", 2, 3, "not valid utf-8 (byte 192)"},
      {"choir t v1\n\xed\xa0\x80", 2, 1, "not valid utf-8 (byte 237)"},
      {"choir t v1\n\xf4\x90\x80\x80", 2, 1, "not valid utf-8 (byte 244)"},
      {"choir t v1\n\xe2\x82", 2, 1, "not valid utf-8 (byte 226)"},
  };
  for (const Fault& fault : headers) {
    SCOPED_TRACE(fault.body);
    const Error error = error_of(fault.body);
    EXPECT_EQ(error.where.to_string(), place_of(fault));
    EXPECT_THAT(error.message, HasSubstr(fault.message));
  }
}

TEST(ChoirText, LimitsNames) {
  const std::string longest(4096, 'a');
  for (const std::string& quote : {std::string(), std::string("\"")}) {
    const auto text = [&](const std::string& name) {
      return "choir t v1\n%" + quote + name + quote + " = test.value : f32\n";
    };
    expect_round_trip(read(text(longest)));
    EXPECT_THAT(error_of(text(longest + "a")).message,
                HasSubstr("name is too long (4097 bytes, the limit is 4096)"));
  }
  EXPECT_THAT(error_of("choir t v1 {" + longest + "a = 1}").message, HasSubstr("4097 bytes"));
  EXPECT_THAT(error_of("choir t v1 {a = @" + longest + "a}").message, HasSubstr("4097 bytes"));
}

TEST(ChoirText, CollectsErrorsAndGoesOn) {
  const Error error = error_of(R"(choir t v1
test.function @f (%x: f32) {
  %a = test.add %x %x
  %b = test.add %a, %a
  %c = test.frob %b {k = [1,
  %d = test.add %x, %x
  test.use %d, %c, %nothing
  test.loop (%i: f33, %j f32) {
    test.use %undefined
  }
  test.yield {a = {b =
}
test.use %y
)");
  std::vector<std::string> places;
  std::size_t from = 0;
  while ((from = error.message.find("\ntest.choir:", from)) != std::string::npos) {
    const std::size_t end = error.message.find(": ", from);
    places.push_back(error.message.substr(from + 12, end - from - 12));
    from = end;
  }
  EXPECT_EQ(error.where.to_string(), "test.choir:3:20");
  EXPECT_THAT(places, testing::ElementsAre("5:8", "6:3", "7:20", "8:18", "8:26", "12:1", "13:10"))
      << error.to_string();
}

TEST(ChoirText, ShowsTheLineWithACaret) {
  const Error error = error_of("choir t v1\r\n\t%a = test.use  %nothing // why\r\n");
  EXPECT_EQ(error.to_string(),
            "test.choir:2:17: invalid input: test.use: value '%nothing' is not defined here\n"
            "  \t%a = test.use  %nothing // why\n"
            "  \t               ^");
  const Error wide = error_of("choir t v1\ntest.use {a = \"" + std::string(300, 'x') + "\"} $" +
                              std::string(300, ' ') + "// end");
  const std::string expected = "\n  ..." + std::string(77, 'x') + "\"} $" + std::string(39, ' ') +
                               "...\n  " + std::string(83, ' ') + "^";
  EXPECT_THAT(wide.message, HasSubstr(expected));
}

TEST(ChoirText, CountsErrorsBeyondTheLimit) {
  std::string text = "choir t v1\n";
  for (int line = 0; line < 150; ++line) text += "test.use %nothing\n";
  EXPECT_THAT(error_of(text).message, HasSubstr("\nand 50 more errors"));
}

TEST(ChoirText, VerifierFindsWhatAPassBroke) {
  const auto faults_of = [](const Module& module) {
    Diagnostics diagnostics;
    verify(module, diagnostics);
    std::string all;
    for (const Diagnostic& diagnostic : diagnostics.list()) all += diagnostic.to_string() + "\n";
    return all;
  };
  const std::string_view text =
      "choir t v1\n%a = test.value : f32\n%b = test.add %a, %a\n"
      "test.function @f (%x: f32) {\n  test.use %x\n}\ntest.loop () {\n  test.yield %a\n}\n";
  {
    const Module module = read(text);
    EXPECT_EQ(faults_of(module), "");
    module.body().back()->move_before(module.body().front());
    EXPECT_EQ(faults_of(module),
              "test.choir:8:3: test.yield: operand 0 (%a) is not defined before its use, or is "
              "outside an isolated operation\n");
  }
  {
    const Module module = read(text);
    Value* a = module.body().front()->result();
    Operation& function = *module.lookup("f");
    function.body().front()->set_operand(0, a);
    EXPECT_THAT(faults_of(module), HasSubstr("5:3: test.use: operand 0 (%a) is not defined"));
    function.body().front()->set_operand(0, nullptr);
    EXPECT_EQ(faults_of(module), "test.choir:5:3: test.use: operand 0 is missing\n");
  }
  {
    const Module module = read(text);
    Operation& value = *module.body().front();
    value.result()->set_type(module.context().type("i32"));
    EXPECT_THAT(faults_of(module), HasSubstr("result 0 is f32, inference says i32"));
    value.result()->set_type(module.context().type("unheard"));
    EXPECT_THAT(faults_of(module), HasSubstr("2:1: test.value: result 0: unknown type 'unheard'"));
    value.result()->set_type({});
    EXPECT_THAT(faults_of(module), HasSubstr("result 0: the type is missing"));
  }
  {
    Module module = read(text);
    Operation& function = *module.lookup("f");
    function.body().argument(0)->set_type(module.context().type("tensor"));
    function.remove_attribute("symbol");
    function.set_attribute("k", module.context().string("\xff"));
    const std::string found = faults_of(module);
    EXPECT_THAT(found, HasSubstr("argument 0 of region 0: tensor takes an element type"));
    EXPECT_THAT(found, HasSubstr("4:1: test.function: has no symbol"));
    EXPECT_THAT(found, HasSubstr("attribute 'k': text '?' cannot be written"));
    module.operation().remove_attribute("stage");
    EXPECT_THAT(faults_of(module), HasSubstr("attribute 'stage' is no word"));
    module.set_stage("t");
  }
  {
    Module module(registry(), "t");
    Builder builder(module.body());
    builder.create("test.add", {}, {});
    builder.create("test.loop", {}, {})->add_region();
    Attribute deep = module.context().integer(0);
    for (std::size_t level = 0; level <= limits::nesting; ++level)
      deep = module.context().array(std::span(&deep, 1));
    builder.create("test.use", {}, {}, {{"deep", deep}});
    const std::string found = faults_of(module);
    EXPECT_THAT(found, HasSubstr("test.add: has 0 operands, its definition says 2"));
    EXPECT_THAT(found, HasSubstr("test.add: has 0 results, its definition says 1"));
    EXPECT_THAT(found, HasSubstr("test.loop: has 2 regions, its definition says 1"));
    EXPECT_THAT(found, HasSubstr("'deep': attributes and types nest too deep"));
  }
  {
    // A use from outside the module is in a list, but in no operation of the module.
    const Module module = read(text);
    Value* a = module.body().front()->result();
    const auto stray = Operation::create(module.context(), *registry().operation("test.use"),
                                         std::span(&a, 1), {}, {}, {});
    EXPECT_THAT(faults_of(module),
                HasSubstr("a value has 3 uses in the module, its list has more"));
  }
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
