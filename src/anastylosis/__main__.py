"""`python -m anastylosis` is `anastylosis`; `torchrun -m anastylosis` starts it several times."""

from anastylosis.cli import main

if __name__ == "__main__":
    main()
