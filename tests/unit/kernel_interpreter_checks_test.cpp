// The kernel interpreter: each check of what a program must not do, and of its arguments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/kernel_interpreter_fixture.hpp"

namespace accy::evaluate {
namespace {

using ::testing::HasSubstr;

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
        "test.choir", kernel_registry());
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

}  // namespace
}  // namespace accy::evaluate
