// Any text is an error value, or a program that prints and reads back as the same program.
#include "choir/product.hpp"
#include "choir/text.hpp"
#include "fuzz/fuzz.hpp"
#include "semantic/job.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace accy;
  const auto program = semantic::parse_semantic_module(test::as_text(data, size), "fuzz.choir");
  if (!program) {
    test::require(!program.error().to_string().empty(), "an error has a message");
    return 0;
  }
  const auto again = semantic::parse_semantic_module(choir::print(program->module()), "fuzz.choir");
  test::require(again.has_value(), "a printed program reads back");
  test::require(again->revision()->address() == program->revision()->address(),
                "a printed program reads back as the same program");
  return 0;
}
