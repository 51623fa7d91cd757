// Session: a program compiled for one device, loaded there, and run with new inputs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "accy/export.hpp"
#include "accy/host_tensor.hpp"
#include "accy/program.hpp"
#include "accy/result.hpp"

namespace accy {

/// An input or output of a program.
struct ACCY_EXPORT TensorPort {
  std::string name;
  ElementType element = ElementType::f32;
  std::vector<std::int64_t> shape;  ///< elements by axis
};

/// One kernel launch of a run.
struct ACCY_EXPORT LaunchTime {
  std::string kernel;
  std::uint64_t elapsed_ns = 0;  ///< on the device; 0 where it cannot tell
};

struct ACCY_EXPORT SessionOptions {
  /// "cuda:0", "vulkan:0", "interpreter", "reference", or "auto": the best one here.
  std::string device = "auto";
  /// Sizes of named dimensions; others take the program's defaults.
  std::map<std::string, std::int64_t> dimensions;
};

/// How an output compares with the wide evaluator's forward error bound.
struct ACCY_EXPORT OutputCheck {
  bool pass = false;
  double max_ulp = 0;               ///< largest error in units in the last place
  double max_error_over_bound = 0;  ///< at most 1 where it passes
  std::string message;              ///< empty where it passes
};

/// Move-only; one thread at a time. Weights are read from files in one folder only.
class ACCY_EXPORT Session {
 public:
  /// Compiles and loads a program; weights come from `weight_folder`. Errors as for open().
  static Result<Session> compile(const Program& program, const SessionOptions& options = {},
                                 const std::string& weight_folder = ".");
  /// The same for what GraphBuilder::finish() gives, whose error is passed on.
  static Result<Session> compile(const Result<Program>& program, const SessionOptions& options = {},
                                 const std::string& weight_folder = ".");
  /// Reads, compiles and loads a `.choir` program; weights come from its folder. Errors: the file
  /// or program is wrong (invalid_input, io), no such device (not_found), the device cannot run it
  /// (unsupported), a driver failure (device, out_of_memory). The file may be an artifact of `accy
  /// compile -o x.accy`: it is loaded without compiling, for a device that is as its profile was.
  static Result<Session> open(const std::string& file, const SessionOptions& options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  std::span<const TensorPort> inputs() const;
  std::span<const TensorPort> outputs() const;
  /// Name of the device, as for SessionOptions, and what its driver calls the hardware.
  const std::string& device() const;
  const std::string& device_description() const;
  /// Why "auto" took this device; empty when the caller named it.
  const std::string& device_reason() const;

  /// One tensor for each input, in order; gives one for each output.
  Result<std::vector<HostTensor>> run(std::span<const HostTensor> inputs);
  /// The launches of the latest run, in order; none on the reference device.
  std::span<const LaunchTime> launches() const;
  /// Compares outputs of run() with the wide evaluator on the same inputs, one entry an output.
  Result<std::vector<OutputCheck>> check(std::span<const HostTensor> inputs,
                                         std::span<const HostTensor> outputs) const;

 private:
  struct State;
  static Result<Session> compile_program(const Program& program, const SessionOptions& options,
                                         const std::string& weight_folder);
  static Result<Session> load_artifact(const std::string& file, const SessionOptions& options);
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace accy
