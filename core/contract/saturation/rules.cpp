#include "contract/saturation/rules.hpp"

namespace accy::contract {

const std::vector<choir::RewriteRule>& saturation_rules() {
  static const std::vector<choir::RewriteRule> all = [] {
    std::vector<choir::RewriteRule> list;
    for (const auto family :
         {algebra_rules(), layout_rules(), slice_rules(), matmul_rules(), reduction_rules()})
      list.insert(list.end(), family.begin(), family.end());
    return list;
  }();
  return all;
}

}  // namespace accy::contract
