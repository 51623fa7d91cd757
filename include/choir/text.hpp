// The text form: printer, parser and structural verifier.
//
//   text   := "choir" STAGE "v1" [attributes] [location] operation*
//   operation := [%value ("," %value)* "="] dialect.name [@symbol] [%value ("," %value)*]
//                [attributes] [":" type ("," type)*] region* [location]
//   region := "(" [%value ":" type ("," %value ":" type)*] ")" "{" operation* "}"
//   attributes := "{" [key "=" attribute ("," key "=" attribute)*] "}"     key := word | STRING
//   attribute  := true | false | INTEGER | FLOAT | STRING | word | @symbol | "!" type
//                 | "[" [attribute ("," attribute)*] "]" | attributes | x"HEX"
//   type   := word ["<" attribute ("," attribute)* ">"]
//   location := "loc" "(" [STRING ":" LINE ":" COLUMN ("," ...)*] ")"
//
// A comment runs from // to the end of the line. Line breaks mean nothing. A word is letters,
// digits and _, not first a digit, several joined by dots; any other text is the word w"text".
// Names behind % and @ are letters, digits and _ or a STRING; a value of bare digits has no name.
// Result types may be left out where the operation infers them. A FLOAT has '.' or an exponent, or
// is inf, -inf, nan or 0x and the 16 digits of its bits. `loc()` is no location; without `loc` an
// operation has the place of its text. Escapes in a STRING: \" \\ \n \t \r \uXXXX.
#pragma once

#include <string>
#include <string_view>

#include "accy/export.hpp"
#include "choir/diagnostics.hpp"
#include "choir/module.hpp"

namespace accy::choir {

struct ACCY_EXPORT PrintOptions {
  bool locations = true;  ///< with `loc(...)` after each operation
  bool names = true;      ///< names from the source; otherwise numbers only
};

ACCY_EXPORT std::string print(const Module& module, PrintOptions options = {});
ACCY_EXPORT std::string print(const Operation& operation, PrintOptions options = {});
ACCY_EXPORT std::string print(Type type);
ACCY_EXPORT std::string print(Attribute attribute);

/// Reads a module. Errors name file, line and column, show the line and say what was expected. A
/// parsed operation has the location of its text unless the text gives one. Does not verify.
ACCY_EXPORT Result<Module> parse(std::string_view text, std::string_view file,
                                 const Registry& registry);

/// Structure, types, dominance, counts, inference and each operation's own rules; all faults.
ACCY_EXPORT void verify(const Module& module, Diagnostics& diagnostics);
ACCY_EXPORT Status verify(const Module& module);

/// The module as far as it could be read, which is valid exactly when nothing was reported: all
/// faults of syntax and rules in one go, each once, an operation in error causing no others.
ACCY_EXPORT Module parse_and_verify(std::string_view text, std::string_view file,
                                    const Registry& registry, Diagnostics& diagnostics);

/// The same as a result.
ACCY_EXPORT Result<Module> parse_and_verify(std::string_view text, std::string_view file,
                                            const Registry& registry);

}  // namespace accy::choir
