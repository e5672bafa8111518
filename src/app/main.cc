// SPDX-License-Identifier: Apache-2.0
#include "frame/program.h"

int main(int argc, char** argv) { return protium::Main(argc, argv, {}); }
