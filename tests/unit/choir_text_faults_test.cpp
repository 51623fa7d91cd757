// The text form of choir: what is refused and where, in the text and by the verifier.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choir/builder.hpp"
#include "choir/text.hpp"
#include "support/checked.hpp"
#include "support/choir_text_fixture.hpp"

namespace accy::choir {
namespace {

using ::testing::HasSubstr;

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
    {"%a = test.add %v, %v : i32", 3, 1, "type of result 0 is i32, inference says f32\n  %a",
     "test.add"},
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
    EXPECT_EQ(error.message.find("test.choir:"), std::string::npos) << fault.body << "\n"
                                                                    << error.message;
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

}  // namespace
}  // namespace accy::choir
