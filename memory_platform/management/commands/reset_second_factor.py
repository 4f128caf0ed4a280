"""``manage.py reset_second_factor USER``: switch a second factor off where no operator can log in to do it."""

from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from memory_platform.console.log_in.platform_log import record_staff_change
from memory_platform.management.base_command import PlatformCommand


class Command(PlatformCommand):
    help = "Switch off the second factor of a staff member, who can set up a new one. Safe to repeat."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", help="the user name of the staff member")

    def handle(self, *args: object, username: str, **options: object) -> None:
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError("No account has this user name. Check the spelling, with upper and lower case.")
        if Authenticator.objects.filter(user=user).delete()[0]:
            record_staff_change(user, user, "Second factor reset on the command line.")
            self.stdout.write("The second factor is off. The next log-in asks for the password alone.")
        else:
            self.stdout.write("There was no second factor.")
