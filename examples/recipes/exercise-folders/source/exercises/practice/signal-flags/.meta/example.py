def spelled(word):
    return " ".join({"a": "alfa", "b": "bravo"}[letter] for letter in word)
