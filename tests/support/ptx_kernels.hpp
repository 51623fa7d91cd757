// Kernel programs as text, and their way to PTX: what the tests of the CUDA target share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "accy/result.hpp"
#include "choir/definition.hpp"
#include "profile/profile.hpp"

namespace accy::test {

/// Knows the kernel dialect.
const choir::Registry& kernel_registry();

/// A built-in CUDA profile; aborts the test when there is none.
const TargetProfile& cuda_profile(std::string_view name);

struct KernelOptions {
  bool exact = false;
  int subgroup = 0;
  std::string workgroup = "[64, 1, 1]";
};

/// A module with one kernel.func @test of that body.
std::string kernel_program(const std::string& parameters, const std::string& body,
                           const KernelOptions& options = {});

/// Parses, legalizes, emits and validates.
Result<std::string> compile_to_ptx(const std::string& text, const TargetProfile& profile);

/// Text of one kernel that applies operations to elements %a and %b of two buffers; each result
/// goes to a buffer of its own, so that none is dead. Element %i is workgroup * 64 + invocation.
class Applications {
 public:
  explicit Applications(std::string type);
  /// `operation` as "kernel.add %a, %b", its result of `result` type, named %r0, %r1, ...
  Applications& apply(const std::string& operation, const std::string& result);
  Applications& apply(const std::string& operation) { return apply(operation, type_); }
  std::string text(const KernelOptions& options = {}) const;
  /// The types of the results, in order.
  const std::vector<std::string>& results() const { return results_; }

 private:
  std::string type_;
  std::string body_;
  std::string parameters_;
  std::vector<std::string> results_;
};

/// Moves values of the given width from a buffer through workgroup memory to a buffer, and turned
/// around to another place of it. Parameters: in (read), out (write), both (read_write).
std::string move_kernel(const std::string& type, int width);

/// Widths of the accesses to that type: 1, 2, 4, 8 as far as they have at most 16 bytes.
std::vector<int> access_widths(std::string_view type);

inline constexpr const char* all_types[] = {"bool", "i8",  "i16", "i32",  "i64", "u8", "u16",
                                            "u32",  "u64", "f16", "bf16", "f32", "f64"};

}  // namespace accy::test
