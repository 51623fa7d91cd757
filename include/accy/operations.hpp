// Every operation on a Tensor, each a function that reads as NumPy's does.
#pragma once

#include "accy/elementwise.hpp"
#include "accy/movement.hpp"
#include "accy/network.hpp"
#include "accy/reduction.hpp"
