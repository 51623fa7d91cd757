// What the tests of the SPIR-V emitter share: kernels from text, and compiled words.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <spirv/unified1/spirv.hpp11>

#include "support/kernel_text.hpp"
#include "targets/vulkan/emit/backend.hpp"
#include "targets/vulkan/emit/module_builder.hpp"
#include "targets/vulkan/profile/profiles.hpp"

namespace accy::vulkan {

inline const TargetProfile& profile_named(std::string_view name) {
  for (const TargetProfile& profile : profiles())
    if (profile.name == name) return profile;
  ADD_FAILURE() << "no profile " << name;
  return profiles().front();
}

inline Result<Words> compile(const KernelText& kernel, const TargetProfile& profile) {
  ACCY_TRY_ASSIGN(choir::Module module, parse_kernel(kernel));
  choir::Operation& function = *module.body().front();
  ACCY_TRY(backend().legalize(function, profile));
  ACCY_TRY(choir::verify(module));
  ACCY_TRY_ASSIGN(const target::KernelCode code, backend().emit(function, profile));
  ACCY_TRY(backend().validate(code, profile));
  Words words(code.bytes.size() / 4, 0);
  for (std::size_t index = 0; index < code.bytes.size(); ++index)
    words[index / 4] |= static_cast<std::uint32_t>(code.bytes[index]) << (index % 4 * 8);
  return words;
}

inline void expect_compiles(const KernelText& kernel, const TargetProfile& profile) {
  const auto words = compile(kernel, profile);
  EXPECT_TRUE(words) << profile.name << "\n" << to_text(kernel) << words.error().to_string();
}

inline std::string compile_error(const KernelText& kernel, const TargetProfile& profile) {
  const auto words = compile(kernel, profile);
  return words ? "compiles" : words.error().message;
}

/// Instructions of a module as {opcode, operands}.
inline std::vector<std::pair<spv::Op, Words>> instructions(const Words& words) {
  std::vector<std::pair<spv::Op, Words>> list;
  for (std::size_t place = 5; place < words.size(); place += words[place] >> 16U) {
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(place);
    list.emplace_back(static_cast<spv::Op>(words[place] & 0xffffU),
                      Words(begin + 1, begin + static_cast<std::ptrdiff_t>(words[place] >> 16U)));
  }
  return list;
}

inline std::size_t count_op(const Words& words, spv::Op op) {
  std::size_t count = 0;
  for (const auto& [found, operands] : instructions(words)) count += found == op ? 1 : 0;
  return count;
}

inline const std::string index_text = "  %i = kernel.local_id {axis = 0} : i32\n";

/// A kernel that stores `line` of operands it loads: %x, %y, %z of that type.
inline KernelText operation_kernel(const std::string& type, int operands, const std::string& line,
                            const std::string& result, bool exact = false) {
  KernelText kernel;
  kernel.exact = exact;
  kernel.body = index_text;
  const std::array names{"x", "y", "z"};
  for (int index = 0; index < operands; ++index) {
    const std::string name = names[static_cast<std::size_t>(index)];
    kernel.parameters += "%" + name + "s: buffer<" + type + ", read, address>, ";
    kernel.body += "  %" + name + " = kernel.load %" + name + "s, %i : " + type + "\n";
  }
  kernel.parameters += "%out: buffer<" + result + ", write, address>";
  kernel.body += "  %r = " + line + " : " + result + "\n  kernel.store %r, %out, %i\n";
  return kernel;
}

inline const std::vector<std::string> integers{"i8", "i16", "i32", "i64",
                                               "u8", "u16", "u32", "u64"};
inline const std::vector<std::string> floats{"f32", "f64"};
inline const std::vector<std::string> all_types{"bool", "i8",  "i16", "i32",  "i64", "u8", "u16",
                                         "u32",  "u64", "f16", "bf16", "f32", "f64"};

inline std::vector<std::string> with_floats() {
  std::vector<std::string> types = integers;
  types.insert(types.end(), floats.begin(), floats.end());
  return types;
}

}  // namespace accy::vulkan
