// The text of a trace: which request, which facts, which product.
#pragma once

#include "choir/product.hpp"

namespace accy::choir::store {

struct Trace {
  ProductRequest request;
  std::string identity;  ///< of the compiler
  std::vector<Fact> facts;
  Digest content;  ///< of the product's module
  Digest object;   ///< of the bytes of its text
};

/// The file: one JSON document and a line with the digest of all before it.
std::string format_trace(const Trace& trace);

/// Errors: cut off or changed, of another version, not what a writer writes. `file` names it.
Result<Trace> parse_trace(std::string_view text, std::string_view file);

/// First level of the store: what is asked of which compiler.
Digest trace_request_digest(const ProductRequest& request, std::string_view identity);

}  // namespace accy::choir::store
