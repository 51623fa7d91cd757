// docs/ops.md says what the tensor operations are; ACCY_BLESS=1 writes it anew.
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

#include "dialect/tensor/tensor.hpp"

namespace accy {
namespace {

using choir::AttributeKind;
using choir::OperationDefinition;

std::string kind_of(const std::optional<AttributeKind>& kind) {
  if (!kind) return "number";
  switch (*kind) {
    case AttributeKind::boolean: return "boolean";
    case AttributeKind::integer: return "integer";
    case AttributeKind::floating: return "number";
    case AttributeKind::string: return "string";
    case AttributeKind::word: return "word";
    case AttributeKind::array: return "array";
    default: return "any";
  }
}

std::string attributes_of(const OperationDefinition& operation) {
  std::string text;
  for (const tensor::AttributeRule& rule : operation.interface<tensor::Attributes>()->rules) {
    text += (text.empty() ? "`" : "; `") + std::string(rule.name) + "` (" + kind_of(rule.kind) +
            (rule.required ? ")" : ", optional)");
    if (!rule.summary.empty()) text += " " + std::string(rule.summary);
  }
  return text;
}

std::string form_of(const OperationDefinition& operation) {
  const auto* expansion = operation.interface<tensor::Expansion>();
  if (expansion == nullptr) return "primitive";
  switch (expansion->family) {
    case tensor::Family::function: return "activation-lower";
    case tensor::Family::einsum: return "einsum-lower";
    case tensor::Family::indexing: return "indexing-lower";
    case tensor::Family::loss: return "loss-lower";
  }
  return {};
}

/// As a cell of a table, which a bar would end.
std::string cell(std::string_view text) {
  std::string escaped = " ";
  for (char character : text) {
    if (character == '|') escaped += '\\';
    escaped += character;
  }
  return escaped + " |";
}

std::string document() {
  choir::Registry registry;
  tensor::register_tensor_dialect(registry);
  std::string text =
      "# Tensor operations\n\n"
      "Written by `tests/unit/operations_document_test.cpp` from the declarations in "
      "`core/dialect/tensor/ops/`. The last column says whether an operation has kernels of its "
      "own (primitive) or which pass of the tensor stage replaces it. `docs/numerics.md` has the "
      "rules of numbers.\n\n"
      "| operation | operands | meaning | attributes | form |\n| --- | --- | --- | --- | --- |\n";
  for (const OperationDefinition* operation : registry.operations()) {
    if (operation->interface<tensor::Attributes>() == nullptr) continue;
    const std::string count =
        operation->operand_count < 0 ? "any" : std::to_string(operation->operand_count);
    text += "|" + cell("`" + std::string(operation->name) + "`") + cell(count) +
            cell(operation->summary) + cell(attributes_of(*operation)) + cell(form_of(*operation)) +
            "\n";
  }
  return text;
}

TEST(OperationsDocument, IsUpToDate) {
  const std::string path = std::string(ACCY_SOURCE_DIR) + "/docs/ops.md";
  const std::string made = document();
  const char* bless = std::getenv("ACCY_BLESS");
  if (bless != nullptr && std::string_view(bless) == "1") std::ofstream(path) << made;
  std::ifstream file(path);
  const std::string found((std::istreambuf_iterator<char>(file)), {});
  EXPECT_TRUE(found == made) << "ACCY_BLESS=1 writes docs/ops.md anew";
}

}  // namespace
}  // namespace accy
