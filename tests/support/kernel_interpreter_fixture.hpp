// Runs kernel programs written as text in the kernel interpreter.
#pragma once

#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "choir/text.hpp"
#include "evaluate/kernel_interpreter.hpp"
#include "support/kernel_text.hpp"

namespace accy::evaluate {

inline constexpr float nan_f = std::numeric_limits<float>::quiet_NaN();
inline constexpr float infinity_f = std::numeric_limits<float>::infinity();
inline constexpr std::int32_t min_i32 = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int32_t max_i32 = std::numeric_limits<std::int32_t>::max();

using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;

inline KernelProgram decode(const std::string& text) {
  auto module =
      choir::parse_and_verify("choir kernel v1\n" + text, "test.choir", kernel_registry());
  EXPECT_TRUE(module.has_value()) << text << module.error().to_string();
  auto program = KernelProgram::decode(*module->body().front());
  EXPECT_TRUE(program.has_value());
  return std::move(*program);
}

template <class T>
KernelArgument buffer(std::vector<T>& values) {
  return KernelArgument::buffer(std::as_writable_bytes(std::span(values)));
}

/// A function of 8 invocations over %data (read_write) and %n.
inline std::string in_function(const std::string& body, const std::string& workgroup = "[8, 1, 1]",
                               int subgroup = 8) {
  return "kernel.func @f {exact = false, subgroup = " + std::to_string(subgroup) +
         ", workgroup = " + workgroup +
         "} (%data: buffer<i32, read_write, address>, %n: i32) {\n"
         "  %i = kernel.local_id {axis = 0} : i32\n"
         "  %zero = kernel.constant {value = 0} : i32\n"
         "  %one = kernel.constant {value = 1} : i32\n" +
         body + "  kernel.return\n}\n";
}

inline Status run_on(const std::string& text, Ints& data, std::int32_t n = 0,
                     std::array<std::int64_t, 3> grid = {1, 1, 1},
                     const InterpreterOptions& options = {}) {
  return decode(text).run(grid, std::array{buffer(data), KernelArgument::scalar(n)}, options);
}

}  // namespace accy::evaluate
