// SPDX-License-Identifier: Apache-2.0
#include "protium/session.h"

int main(int argc, char** argv) { return protium::Main(argc, argv, {}); }
