def kilometres(knots):
    pass
