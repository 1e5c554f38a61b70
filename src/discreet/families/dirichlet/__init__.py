"""Records that fall into categories: the Dirichlet-multinomial family."""
