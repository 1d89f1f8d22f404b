def spelled(word):
    pass
