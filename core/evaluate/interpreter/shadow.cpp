#include "evaluate/interpreter/shadow.hpp"

#include <bit>

namespace accy::evaluate::interpreter {

Result<Shadow> Shadow::create(std::int64_t size_bytes, std::int64_t granule, bool is_shared) {
  const int shift = std::countr_zero(static_cast<std::uint64_t>(granule));
  const auto count = static_cast<std::size_t>(((size_bytes - 1) >> shift) + 1);
  // calloc leaves the pages of cells that nobody touches unmapped.
  std::unique_ptr<Cell[], Release> cells(static_cast<Cell*>(std::calloc(count, sizeof(Cell))));
  if (cells == nullptr)
    return fail(ErrorCode::out_of_memory,
                "no memory to track races (" + std::to_string(count * sizeof(Cell)) + " bytes)");
  return Shadow(std::move(cells), shift, is_shared);
}

}  // namespace accy::evaluate::interpreter
