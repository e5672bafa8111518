// SPDX-License-Identifier: Apache-2.0
#include "app/command.h"

int main(int argc, char** argv) {
  return protium::RunCommand({.name = "protium", .argv = {argv, argv + argc}});
}
