# One line a test program: accy_test(NAME LIBRARIES...)
