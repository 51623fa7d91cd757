// A CUDA driver made of host memory: it records what is called, runs kernels that the test gives as
// functions, and fails one chosen call.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "targets/cuda/device/driver_api.hpp"

namespace accy::test {

/// A function of a loaded module.
struct FakeFunction {
  std::string entry;
  std::string code;  ///< the module's text
};

/// One launch as the driver saw it.
struct FakeLaunch {
  std::string entry;
  std::string code;
  std::array<unsigned int, 3> grid{};
  std::array<unsigned int, 3> block{};
  std::vector<std::byte> arguments;
};

/// Opaque objects by their handle, which is their address.
using FakeHandles = std::map<void*, std::unique_ptr<char>>;

/// State of the one fake driver of a test; `reset` it at the start of each.
class FakeCudaDriver {
 public:
  /// The only instance, as the entry points have no state of their own.
  static FakeCudaDriver& instance();
  static const cuda::driver::Api& api();

  void reset() { *this = FakeCudaDriver(); }

  // What the test sets.
  int driver_version = 12040;
  int device_count = 1;
  int major = 8;
  int minor = 0;
  bool never_finishes = false;
  std::string jit_log;
  /// Ordinal of the call that fails (0 is the first) and its code; negative: none.
  int failing_call = -1;
  cuda::driver::Code failing_code = 1;
  std::string failed_symbol;
  std::function<void(const FakeLaunch&)> on_launch;

  // What happened.
  int calls = 0;
  std::vector<FakeLaunch> launches;
  std::vector<std::string> symbols;  ///< of every call that counts, in order
  std::map<std::uint64_t, std::unique_ptr<std::vector<std::byte>>> memory;
  FakeHandles modules;
  std::map<void*, std::string> module_code;
  std::map<std::pair<void*, std::string>, FakeFunction> functions;
  FakeHandles streams;
  FakeHandles events;
  int retained_contexts = 0;
  int context_depth = 0;

  /// Objects that were made and not given back, in words; empty when there are none.
  std::string leaks() const;
  /// Counts a call; the code it must return: success, or the one that is to be injected.
  cuda::driver::Code enter(const char* symbol);
};

}  // namespace accy::test
