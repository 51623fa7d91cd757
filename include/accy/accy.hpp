// Everything a program that links accy needs.
#pragma once

#include "accy/graph_builder.hpp"
#include "accy/host_tensor.hpp"
#include "accy/npy.hpp"
#include "accy/operations.hpp"
#include "accy/program.hpp"
#include "accy/result.hpp"
#include "accy/session.hpp"
