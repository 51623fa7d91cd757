// The binary form: it keeps all of a module, follows from content alone, and refuses all else.
#include <gmock/gmock.h>
#include <random>

#include "choir/bytecode.hpp"
#include "choir/product.hpp"
#include "dialect/dialects.hpp"
#include "support/programs.hpp"
#include "support/stages.hpp"
#include "targets/registry.hpp"

namespace accy::test {
namespace {

using preparation::Stage;
using ::testing::HasSubstr;

constexpr std::string_view text =
    R"(choir semantic v1 {dimensions = {n = {default = 3}}, note = [1, -2, 2.5, true, "s", word, @sym, x"00ff", !tensor<f32, [4]>, {a = inf}]}
tensor.func @main {inputs = ["a"], outputs = ["y"]} (%a: tensor<f32, [n]>) {
  %b = tensor.neg %a
  %c = tensor.add %a, %b
  tensor.return %c
}
)";

choir::Module example() {
  auto module = choir::parse_and_verify(text, "p.choir", registry());
  EXPECT_TRUE(module.has_value()) << module.error().to_string();
  return std::move(*module);
}

std::string error_of(std::string_view bytes) {
  const auto module = choir::decode(bytes, "m.bc", registry());
  return module ? std::string("no error") : module.error().message;
}

TEST(Bytecode, KeepsEverythingThatTextShows) {
  const choir::Module module = example();
  const auto read = choir::decode(choir::encode(module), "m.bc", registry());
  ASSERT_TRUE(read.has_value()) << read.error().to_string();
  EXPECT_EQ(choir::print(*read), choir::print(module));
  EXPECT_EQ(choir::encode(*read), choir::encode(module));
}

TEST(Bytecode, KeepsEveryProductOfEveryProgram) {
  const TargetProfile profile = *targets::find_profile("interpreter:generic");
  preparation::PreparationOptions options;
  options.profile = &profile;
  options.backend = targets::find_backend(profile.target);
  for (const Program& program : programs()) {
    const auto prepared = prepare(program.text, options);
    ASSERT_TRUE(prepared.has_value()) << prepared.error().to_string();
    for (std::size_t stage = 0; stage < preparation::stage_count; ++stage) {
      const choir::Module& module = prepared->stage(static_cast<Stage>(stage))->module();
      const auto read = choir::decode(choir::encode(module), "m.bc", registry());
      ASSERT_TRUE(read.has_value()) << program.name << ": " << read.error().to_string();
      EXPECT_EQ(choir::print(*read), choir::print(module)) << program.name << " " << stage;
      EXPECT_EQ(choir::content_digest(*read), choir::content_digest(module));
    }
  }
}

TEST(Bytecode, DigestsIgnorePlacesAndNamesAndNothingElse) {
  const auto digest_of_text = [](std::string_view program) {
    const auto module = choir::parse_and_verify(program, "q.choir", registry());
    EXPECT_TRUE(module.has_value()) << module.error().to_string();
    return choir::content_digest(*module);
  };
  const Digest digest = digest_of_text(text);
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string changed(text);
    for (std::size_t at = changed.find(from); at != std::string::npos;
         at = changed.find(from, at + to.size()))
      changed.replace(at, from.size(), to);
    return digest_of_text(changed);
  };
  EXPECT_EQ(with("%b", "%renamed"), digest);
  EXPECT_EQ(with("\n", "\n\n"), digest);
  EXPECT_NE(with("tensor.neg", "tensor.abs"), digest);
  EXPECT_NE(with("%a, %b", "%b, %a"), digest);
  EXPECT_NE(with("default = 3", "default = 4"), digest);
  EXPECT_NE(with("2.5", "2.25"), digest);
  EXPECT_NE(with("x\"00ff\"", "x\"00fe\""), digest);
}

TEST(Bytecode, NamesWhatIsWrong) {
  const std::string header = "choir-bytecode-1\n";
  // operation: string entry; then operand count, result count, attributes, location, regions.
  const std::string module_start = header + std::string("\0\x0c", 2) + "choir.module";
  const std::string no_values(2, '\0');
  EXPECT_THAT(error_of(""), HasSubstr("m.bc: is no bytecode of this version (at byte 0)"));
  EXPECT_THAT(error_of("choir-bytecode-9\n"), HasSubstr("is no bytecode of this version"));
  EXPECT_THAT(error_of(header), HasSubstr("is cut off (at byte 17)"));
  EXPECT_THAT(error_of(header + std::string("\0\x02", 2) + "ab"), HasSubstr("holds no module"));
  EXPECT_THAT(error_of(header + std::string("\0\x7f", 2) + "ab"),
              HasSubstr("has a count that the bytes left cannot hold"));
  EXPECT_THAT(error_of(header + std::string(10, '\xff') + "ab"),
              HasSubstr("has a number of more than 64 bits"));
  EXPECT_THAT(error_of(header + "\x09"), HasSubstr("names an entry that is not there"));
  EXPECT_THAT(error_of(module_start + std::string("\1\0\0\1\1\0\0", 7)),
              HasSubstr("has a module with values"));
  EXPECT_THAT(error_of(module_start + no_values + std::string("\0\1\0\0\0", 5)),
              HasSubstr("has a module without its one region"));
  // One attribute: the new string "a" and an attribute of kind 99; then none at all.
  EXPECT_THAT(error_of(module_start + no_values + std::string("\1\0\1a\0\x63\0\0\0", 9)),
              HasSubstr("holds an attribute of an unknown kind"));
  EXPECT_THAT(error_of(module_start + no_values + std::string("\1\0\1a\1\0\0\0\0", 9)),
              HasSubstr("has an attribute without a value"));
  // "b" and then "a", both true.
  EXPECT_THAT(error_of(module_start + no_values + std::string("\2\0\1b\0\0\1\0\1a\2\1\1\0\0", 15)),
              HasSubstr("has attributes out of order"));
  // One region: no argument, one operation "zz".
  const std::string region = module_start + no_values + std::string("\0\1\1\0", 4);
  EXPECT_THAT(error_of(region + std::string("\1\0\2zz\0\0\0\1\0", 10)),
              HasSubstr("holds an unknown operation"));
  EXPECT_THAT(error_of(region + std::string("\1\0\x0dtensor.return\1\1\0\0\1\0", 22)),
              HasSubstr("uses a value that is not defined"));
  EXPECT_THAT(error_of(choir::encode(example()) + "x"), HasSubstr("goes on behind the module"));
}

TEST(Bytecode, RefusesEndlessNesting) {
  // An attribute that is an array of an array of …: kind 7, one element, each a new entry.
  std::string bytes = "choir-bytecode-1\n" + std::string("\0\x0c", 2) + "choir.module" +
                      std::string("\0\0\1\0\1a", 6);
  for (int depth = 0; depth < 100'000; ++depth) bytes += std::string("\0\7\1", 3);
  EXPECT_THAT(error_of(bytes), HasSubstr("is nested too deep"));
}

TEST(Bytecode, EveryTruncationIsAnError) {
  const std::string bytes = choir::encode(example());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(error_of(std::string_view(bytes).substr(0, size)), "no error") << size;
}

TEST(Bytecode, DamagedBytesGiveAModuleOrAnError) {
  const std::string bytes = choir::encode(example());
  std::mt19937 random(5);
  std::size_t valid = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = bytes;
    for (int change = 0; change <= round % 3; ++change)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    const auto module = choir::decode(damaged, "m.bc", registry());
    // What was read must stand being checked, printed and destroyed.
    if (module && choir::verify(*module)) valid += choir::print(*module).empty() ? 0 : 1;
  }
  EXPECT_GT(valid, 0U);
}

}  // namespace
}  // namespace accy::test
