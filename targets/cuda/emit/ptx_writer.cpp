#include "targets/cuda/emit/ptx_writer.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace accy::cuda {

namespace {

struct ClassName {
  std::string_view prefix;  ///< of the register's name
  std::string_view type;    ///< in the declaration
};

constexpr std::array<ClassName, register_class_count> class_names{{
    {"%p", ".pred"},
    {"%h", ".b16"},
    {"%r", ".b32"},
    {"%d", ".b64"},
    {"%f", ".f32"},
    {"%g", ".f64"},
}};

const ClassName& names_of(RegisterClass kind) {
  return class_names[static_cast<std::size_t>(kind)];
}

void append_register(std::string& text, Register operand) {
  text += names_of(operand.kind).prefix;
  char digits[12];
  const auto written = std::to_chars(std::begin(digits), std::end(digits), operand.number);
  text.append(std::begin(digits), written.ptr);
}

std::string register_name(Register operand) {
  std::string text;
  append_register(text, operand);
  return text;
}

std::string shared_name(const std::string& entry, std::size_t index) {
  return fmt::format("{}_shared_{}", entry, index);
}

std::string parameter_name(const std::string& entry, std::size_t index) {
  return fmt::format("{}_param_{}", entry, index);
}

void append_operands(std::string& text, std::initializer_list<Operand> operands) {
  std::string_view separator = " ";
  for (const Operand& operand : operands) {
    text += separator;
    text += operand.text();
    separator = ", ";
  }
  text += ";\n";
}

}  // namespace

Operand::Operand(Register operand) : text_(register_name(operand)) {}
Operand::Operand(Label label) : text_(fmt::format("$L{}", label.number)) {}
Operand::Operand(std::int64_t value) : text_(std::to_string(value)) {}

Operand float_immediate(std::uint32_t bits) { return fmt::format("0f{:08x}", bits); }
Operand double_immediate(std::uint64_t bits) { return fmt::format("0d{:016x}", bits); }

Operand address(const Operand& base, std::int64_t offset_bytes) {
  return offset_bytes == 0 ? fmt::format("[{}]", base.text())
                           : fmt::format("[{}+{}]", base.text(), offset_bytes);
}

Operand tuple(std::span<const Register> registers) {
  std::string text = "{";
  for (std::size_t i = 0; i < registers.size(); ++i) {
    if (i != 0) text += ", ";
    text += register_name(registers[i]);
  }
  return text + "}";
}

PtxWriter::PtxWriter(std::string entry, std::string target, std::int64_t version)
    : entry_(std::move(entry)), target_(std::move(target)), version_(version) {}

Register PtxWriter::make_register(RegisterClass kind) {
  return {kind, register_counts_[static_cast<std::size_t>(kind)]++};
}

Label PtxWriter::make_label() { return {label_count_++}; }

void PtxWriter::place(Label label) { body_ += fmt::format("$L{}:\n", label.number); }

void PtxWriter::instruction(std::string_view opcode, std::initializer_list<Operand> operands) {
  body_ += "  ";
  body_ += opcode;
  append_operands(body_, operands);
}

void PtxWriter::instruction(Guard guard, std::string_view opcode,
                            std::initializer_list<Operand> operands) {
  body_ +=
      fmt::format("  @{}{} {}", guard.negated ? "!" : "", register_name(guard.predicate), opcode);
  append_operands(body_, operands);
}

Register PtxWriter::value(RegisterClass kind, std::string_view opcode,
                          std::initializer_list<Operand> operands) {
  const Register result = make_register(kind);
  body_ += "  ";
  body_ += opcode;
  body_ += ' ';
  append_register(body_, result);
  if (operands.size() != 0) body_ += ",";
  append_operands(body_, operands);
  return result;
}

std::string PtxWriter::add_parameter(std::string_view type) {
  parameter_types_.emplace_back(type);
  return parameter_name(entry_, parameter_types_.size() - 1);
}

std::string PtxWriter::add_shared(std::int64_t bytes) {
  shared_bytes_.push_back(bytes);
  return shared_name(entry_, shared_bytes_.size() - 1);
}

void PtxWriter::require_version(std::int64_t version) { version_ = std::max(version_, version); }

std::string PtxWriter::finish() const {
  std::string text =
      fmt::format(".version {}.{}\n.target {}\n.address_size 64\n\n.visible .entry {}(",
                  version_ / 10, version_ % 10, target_, entry_);
  for (std::size_t i = 0; i < parameter_types_.size(); ++i)
    text += fmt::format("{}\n  .param {} {}", i == 0 ? "" : ",", parameter_types_[i],
                        parameter_name(entry_, i));
  text += fmt::format(")\n.reqntid {}, {}, {}\n{{\n", workgroup_[0], workgroup_[1], workgroup_[2]);
  for (std::size_t i = 0; i < register_class_count; ++i)
    if (register_counts_[i] != 0)
      text += fmt::format("  .reg {} {}<{}>;\n", class_names[i].type, class_names[i].prefix,
                          register_counts_[i]);
  for (std::size_t i = 0; i < shared_bytes_.size(); ++i)
    text +=
        fmt::format("  .shared .align 16 .b8 {}[{}];\n", shared_name(entry_, i), shared_bytes_[i]);
  return text + "\n" + body_ + "}\n";
}

}  // namespace accy::cuda
