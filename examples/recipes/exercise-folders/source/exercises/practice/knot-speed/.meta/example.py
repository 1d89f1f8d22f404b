def kilometres(knots):
    return round(knots * 1.852, 1)
