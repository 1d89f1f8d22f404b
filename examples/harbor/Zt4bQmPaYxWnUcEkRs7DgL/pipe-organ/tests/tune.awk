{ heard[NR] = $0 }
END {
  length_mm = feet * 305
  right = NR == 3 && heard[1] == length_mm && heard[2] == int(length_mm / 2) && heard[3] == int(length_mm / 4)
  print (right ? "in tune" : "out of tune"), rank
}
