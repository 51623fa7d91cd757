// A writer of PTX text: registers by class, labels, guarded instruction lines and the module around
// one entry. It knows PTX's grammar, not what a kernel means.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace accy::cuda {

/// The register classes of PTX; a register's width is its class's.
enum class RegisterClass : std::uint8_t { predicate, b16, b32, b64, f32, f64 };
inline constexpr std::size_t register_class_count = 6;

/// A virtual register of the entry.
struct Register {
  RegisterClass kind = RegisterClass::b32;
  std::uint32_t number = 0;
  friend bool operator==(const Register&, const Register&) = default;
};

/// A branch target of the entry.
struct Label {
  std::uint32_t number = 0;
};

/// One operand of an instruction, as its text.
class Operand {
 public:
  Operand(Register operand);
  Operand(Label label);
  /// A decimal immediate.
  Operand(std::int64_t value);
  Operand(int value) : Operand(static_cast<std::int64_t>(value)) {}
  /// Anything else verbatim: a special register or a symbol.
  Operand(std::string text) : text_(std::move(text)) {}
  Operand(std::string_view text) : text_(text) {}
  Operand(const char* text) : text_(text) {}
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// An immediate of that bit pattern: `0f3f800000`, `0d...`; never rounded on the way.
Operand float_immediate(std::uint32_t bits);
Operand double_immediate(std::uint64_t bits);
/// `[base+offset]`.
Operand address(const Operand& base, std::int64_t offset_bytes = 0);
/// `{a, b, c, d}`.
Operand tuple(std::span<const Register> registers);

/// The guard of an instruction: `@%p` or `@!%p`.
struct Guard {
  Register predicate;
  bool negated = false;
};

/// Collects the body of one entry and prints the module.
class PtxWriter {
 public:
  /// `entry` is a legal PTX name; `target` as "sm_80"; `version` the lowest PTX ISA (times 10).
  PtxWriter(std::string entry, std::string target, std::int64_t version);

  Register make_register(RegisterClass kind);
  Label make_label();
  /// The next instruction is the label's target.
  void place(Label label);

  void instruction(std::string_view opcode, std::initializer_list<Operand> operands = {});
  void instruction(Guard guard, std::string_view opcode, std::initializer_list<Operand> operands);
  /// With one result in a new register of that class.
  Register value(RegisterClass kind, std::string_view opcode,
                 std::initializer_list<Operand> operands);

  /// Declares the next parameter and returns its name.
  std::string add_parameter(std::string_view type);
  /// Declares workgroup memory aligned to 16 bytes and returns its name.
  std::string add_shared(std::int64_t bytes);
  void set_workgroup(std::array<std::int64_t, 3> size) { workgroup_ = size; }
  /// The module needs at least this PTX ISA (times 10).
  void require_version(std::int64_t version);
  std::int64_t version() const { return version_; }
  const std::string& entry() const { return entry_; }

  /// The whole module's text.
  std::string finish() const;

 private:
  std::string entry_;
  std::string target_;
  std::int64_t version_;
  std::array<std::int64_t, 3> workgroup_{1, 1, 1};
  std::array<std::uint32_t, register_class_count> register_counts_{};
  std::uint32_t label_count_ = 0;
  std::vector<std::string> parameter_types_;
  std::vector<std::int64_t> shared_bytes_;
  std::string body_;
};

}  // namespace accy::cuda
